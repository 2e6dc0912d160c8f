import { inline, linesOf, parseMarkdown, parsePlaced, safeAddress } from "../src/logic/markdown";

describe("markdown", () => {
  it("reads headings, lists, tables, quotes and code", () => {
    const text = "# One\n\n- a\n- [x] b\n\n> said\n\n| h | i |\n|---|---|\n| 1 | 2 |\n\n```\n<b>\n```\n";
    expect(parseMarkdown(text).map((block) => block.is)).toEqual(["heading", "list", "quote", "table", "code"]);
  });
  it("knows the line of each block, and the lines of a stretch", () => {
    const text = "# One\r\n\r\na 🔥\nb\n\n- c\n";
    expect(parsePlaced(text).map(({ block, line }) => [block.is, line])).toEqual([["heading", 0], ["paragraph", 2], ["list", 5]]);
    expect(linesOf(text, 11, 14)).toEqual([2, 3]);
    expect(linesOf(text, 900, 901)).toEqual([6, 6]);
  });
  it("reads callouts, with a title of their own or without", () => {
    const [own, named] = parseMarkdown("> [!tip] Wash **it**\n> Twice.\n\n> [!WARNING]-\n> Hot.");
    expect(own).toMatchObject({ is: "callout", of: "tip", title: [{ is: "text", text: "Wash " }, { is: "strong" }], blocks: [{ is: "paragraph" }] });
    expect(named).toMatchObject({ is: "callout", of: "warning", title: [{ is: "text", text: "Warning" }] });
  });
  it("keeps HTML as text", () => {
    const [block] = parseMarkdown("<script>alert(1)</script> <img src=x onerror=alert(1)>");
    expect(block).toEqual({
      is: "paragraph",
      inside: [{ is: "text", text: "<script>alert(1)</script> <img src=x onerror=alert(1)>" }],
    });
  });
  it.each(["javascript:alert(1)", "JaVaScRiPt:alert(1)", " java\nscript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "\u0001javascript:x"])(
    "leads nowhere by %j",
    (to) => expect(safeAddress(to)).toBeUndefined(),
  );
  it("leads to web pages and mail", () => {
    expect(safeAddress("https://a.example/b")).toBe("https://a.example/b");
    expect(safeAddress("mailto:a@b.example")).toBe("mailto:a@b.example");
  });
  it("reads marks within a line, and leaves those that nothing closes", () => {
    expect(inline("a **b** `c` [[d|e]]").map((part) => part.is)).toEqual(["text", "strong", "text", "code", "text", "wiki"]);
    expect(inline("2 * 3 ** 4 [x")).toEqual([{ is: "text", text: "2 * 3 ** 4 [x" }]);
  });
  it("takes no longer than the text is long", () => {
    const began = performance.now();
    for (const piece of ["**", "[", "![", "`", "[[", "> ", "- ", "_a", "*a "]) parseMarkdown(piece.repeat(20_000));
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
