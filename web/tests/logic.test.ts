import { filesOf } from "../src/logic/dropped";
import { told } from "../src/door";
import { difference } from "../src/logic/difference";
import { deedsOf } from "../src/logic/families";
import { layOut } from "../src/logic/layout";
import { cutAtMarks } from "../src/logic/marks";
import { fitLabels } from "../src/logic/labels";
import { withoutSigns } from "../src/logic/plain";
import { sayBytes, saySeconds, sayValue } from "../src/logic/times";
import { address, readRoute } from "../src/state";

describe("highlights", () => {
  it("cuts at whole letters, also beyond the first plane", () => {
    expect(cutAtMarks("🍵 tea here", [[2, 5]])).toEqual([
      { text: "🍵 ", marked: false },
      { text: "tea", marked: true },
      { text: " here", marked: false },
    ]);
  });
  it("bears spans that overlap or reach beyond the end", () => {
    const pieces = cutAtMarks("abcdef", [[3, 99], [1, 4]]);
    expect(pieces.map((piece) => piece.text).join("")).toBe("abcdef");
  });
});

describe("differences", () => {
  const shown = (before: string, after: string) => difference(before, after).map((step) => [step.kind, step.text]);
  it("are told by words", () => {
    expect(shown("Ada takes it black.", "Ada takes it with milk.")).toEqual([
      ["same", "Ada takes it "],
      ["gone", "black."],
      ["new", "with milk."],
    ]);
  });
  it("add up to both texts, also where these are long", () => {
    const one = Array.from({ length: 900 }, (_, index) => `w${index % 7}`).join(" ");
    const other = Array.from({ length: 900 }, (_, index) => `w${index % 5}`).join(" ");
    const steps = difference(one, other);
    expect(steps.filter((step) => step.kind !== "new").map((step) => step.text).join("")).toBe(one);
    expect(steps.filter((step) => step.kind !== "gone").map((step) => step.text).join("")).toBe(other);
  });
});

describe("names on a picture", () => {
  const point = (x: number, y: number, title: string) => ({ x, y, title, below: 18 });
  const long = "A name that is longer than any picture has room for";
  it("are cut where others stand, left out where nothing is free, and never over another or what it names", () => {
    expect(fitLabels([point(300, 100, long)], 800)).toEqual(["A name that is longer than any pi…"]);
    expect(fitLabels([point(60, 100, long)], 800)).toEqual(["A name that…"]);
    expect(fitLabels([point(300, 100, "One"), point(300, 104, "Other")], 800)).toEqual(["One", ""]);
    expect(fitLabels([point(300, 100, "One"), point(300, 125, "Below")], 800)).toEqual(["One", ""]);
    expect(fitLabels([point(300, 100, "One"), point(500, 100, "Other")], 800)).toEqual(["One", "Other"]);
  });
});

describe("addresses", () => {
  it("survive any handle", () => {
    for (const handle of ["e-1", "notes/a b.md", "100 % sure?", "a#b", "%zz"]) {
      expect(readRoute(address("thing", handle)).rest).toBe(handle);
    }
  });
  it("begin with finding, and keep the question", () => {
    expect(readRoute("").view).toBe("find");
    expect(readRoute(address("find", "", { q: "a&b", tag: "" })).params.get("q")).toBe("a&b");
  });
});

describe("deeds", () => {
  const all = new Set(["console_change"]);
  const entry = { kind: "entry", state: "current", body_start: 0, body_cut: 0 };
  it("are offered where the server offers them, and by what a thing is", () => {
    expect([...deedsOf(entry, all)]).toEqual(["edit", "annotate", "forget"]);
    expect(deedsOf(entry, new Set()).size).toBe(0);
    expect([...deedsOf({ ...entry, kind: "document" }, all)]).toEqual(["annotate", "forget"]);
    expect(deedsOf({ ...entry, kind: "section" }, all).size).toBe(0);
    expect([...deedsOf({ ...entry, state: "forgotten" }, all)]).toEqual(["restore"]);
  });
  it("never edit a text that is not here whole", () => {
    expect(deedsOf({ ...entry, body_cut: 5 }, all).has("edit")).toBe(false);
    expect(deedsOf({ ...entry, body_start: 5 }, all).has("edit")).toBe(false);
  });
});

describe("values", () => {
  it("are said as lines", () => {
    expect(sayValue("plain")).toBe("plain");
    expect(sayValue(true)).toBe("yes");
    expect(sayValue("2024-08-22T12:54:27Z")).toMatch(/2024, /);
    expect(sayValue(["a", 2])).toBe("a\n2");
    expect(sayValue({ deep: [1] })).toBe('{"deep":[1]}');
  });
  it("are sizes in units that people read", () => {
    expect([999, 1500, 15_000, 2_500_000_000].map(sayBytes)).toEqual(["999 B", "1.5 kB", "15 kB", "2.5 GB"]);
  });
});

describe("passages", () => {
  it("are shown without markdown's signs, and keep what is marked", () => {
    const pieces = withoutSigns([
      { text: "## The **kiln**\n\n- [x] is ", marked: false },
      { text: "hot", marked: true },
      { text: " by [[people/ada|Ada]] and [[bob]]", marked: false },
    ]);
    expect(pieces.map((piece) => piece.text).join("")).toBe("The kiln\nis hot by Ada and bob");
    expect(pieces.filter((piece) => piece.marked).map((piece) => piece.text)).toEqual(["hot"]);
  });
  it("have the words of a link and not its address", () => {
    const said = (text: string) => withoutSigns([{ text, marked: false }]).map((piece) => piece.text).join("");
    expect(said("See [the book](/w/index.php?title=Tea) and ![a cup](cup.png), item [3] (old)")).toBe("See the book and a cup, item [3] (old)");
  });
  it("have the cells of a table as words, and no call of a callout", () => {
    const said = (...texts: string[]) => withoutSigns(texts.map((text, index) => ({ text, marked: index === 1 }))).map((piece) => piece.text).join("");
    expect(said("| | HIGH | ", "MODEL", " |\n| :--- | --- |\n| E-1 | 2016 |  |")).toBe("HIGH · MODEL\nE-1 · 2016");
    expect(said("> [!warning]- Hot\n> a | b")).toBe("Hot\na | b");
  });
});

describe("the stream", () => {
  it("tells of commits and of nothing else", () => {
    const note = { method: "notifications/resources/updated", params: { _meta: { "knowledge/change": { tx_id: 3 } } } };
    expect(told(`data: ${JSON.stringify(note)}`)).toBe(3);
    expect(told("data: {}")).toBeUndefined();
    expect(told("event: message")).toBeUndefined();
    expect(told("data: {")).toBeUndefined();
  });
});

describe("the picture", () => {
  it("is the same every time, and leaves what was there near its place", () => {
    const edges = [{ source: "a", target: "b" }, { source: "a", target: "c" }];
    const one = layOut(["a", "b", "c"], edges);
    expect(layOut(["a", "b", "c"], edges)).toEqual(one);
    const other = layOut(["a", "b", "c", "d"], [...edges, { source: "c", target: "d" }], one);
    expect(other.get("a")).toEqual(one.get("a"));
    for (const spot of other.values()) expect(Number.isFinite(spot.x + spot.y)).toBe(true);
  });
});

it("says how long something takes", () => {
  expect([5, 120, 7200].map(saySeconds)).toEqual(["5 s", "2 min", "2 h"]);
});

describe("what was dropped", () => {
  const file = (name: string) => ({ name, isFile: true, file: (done: (file: File) => void) => done(new File([name], name)) });
  const folder = (name: string, inside: object[]) => ({
    name,
    isFile: false,
    createReader: () => {
      const parts = [inside.slice(0, 1), inside.slice(1), []]; // a browser tells a folder in parts
      return { readEntries: (done: (some: object[]) => void) => done(parts.shift()!) };
    },
  });
  const drop = (...entries: object[]) => ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [] }) as unknown as DataTransfer;
  it("has the files of folders within folders, and none that is hidden", async () => {
    const found = await filesOf(drop(file("a.pdf"), folder("papers", [file("b.pdf"), folder("old", [file("c.pdf")]), file(".DS_Store"), folder(".git", [file("d")])])));
    expect(found.map((each) => each.name)).toEqual(["a.pdf", "b.pdf", "c.pdf"]);
  });
});
