// What a person does on the page, each once. A scenario gets a page of its own, and a way to call tools as a client does.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import net from "node:net";

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const PATIENCE = 5000;

const see = (page, text) => page.getByText(text).first().waitFor({ timeout: PATIENCE });
const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click({ timeout: PATIENCE });
const go = (page, base, hash) => page.goto(`${base}/${hash}`);

export const scenarios = {
  async searching({ page, base, call }) {
    await call("store", { topic: "green tea", content: "Steep sencha at seventy degrees.", tags: ["kitchen"] });
    await go(page, base, "");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("sencha");
    await page.locator("mark", { hasText: /sencha/i }).first().waitFor();
    assert.match(await page.locator(".hits li").first().innerText(), /entry[\s\S]*green tea[\s\S]*kitchen/);
    await page.getByText("Why").first().click();
    await see(page, /words: sencha/);
    await page.reload();
    await page.locator("mark").first().waitFor();
    await press(page, "note");
    await see(page, "Nothing was found.");
    await press(page, "note");
    await page.locator("mark").first().waitFor();
    await page.getByRole("searchbox", { name: "Search everything" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "green tea" }).waitFor();
    await page.goBack();
    await page.locator("mark").first().waitFor();
  },

  async changing({ page, base, call }) {
    const { id } = await call("store", { topic: "Grace's tea", content: "It is **black** with [a link](https://a.example)." });
    await go(page, base, `#/thing/${id}`);
    assert.equal(await page.locator(".prose strong").innerText(), "black");
    await press(page, "Edit");
    await page.getByLabel("Text").fill("It is **white**.");
    await press(page, "Save");
    await see(page, "Saved.");
    await page.locator(".prose strong", { hasText: "white" }).waitFor();
    await page.locator("ins", { hasText: "white" }).first().waitFor();
    await page.locator("del", { hasText: "black" }).first().waitFor();
    await press(page, "Undo");
    await page.locator(".prose strong", { hasText: "black" }).waitFor();
    await press(page, "Forget");
    await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click();
    await see(page, "Forgotten.");
    await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
    await page.locator(".prose strong", { hasText: "black" }).waitFor();
    await page.getByRole("button", { name: "Edit" }).waitFor();
    await press(page, "Add a note");
    await page.getByLabel("Note").fill("She said so in May.");
    await page.getByLabel(/^Tags/).fill("people, tea");
    await page.locator(".annotator").getByRole("button", { name: "Add" }).click();
    await see(page, /She said so in May\. \(/);
    await page.locator(".head .tag", { hasText: "people" }).waitFor();
    await press(page, "Forget");
    await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click();
    await press(page, "Bring it back");
    await page.getByRole("button", { name: "Edit" }).waitFor();
  },

  async two_tabs({ page, base, call, context }) {
    const { id } = await call("store", { topic: "two tabs", content: "first words" });
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await go(tab, base, `#/thing/${id}`);
      await press(tab, "Edit");
    }
    await page.getByLabel("Text").fill("mine");
    await press(page, "Save");
    await see(page, "Saved.");
    await other.getByLabel("Text").fill("theirs");
    await see(other, /changed meanwhile, by page/);
    assert.ok(await other.getByRole("button", { name: "Save", exact: true }).isDisabled());
    await press(other, "Take theirs");
    assert.equal(await other.getByLabel("Text").inputValue(), "mine");
    await other.getByLabel("Text").fill("both");
    await call("update", { id, content: "a third" });
    await see(other, /changed meanwhile/);
    await other.getByRole("button", { name: /Keep mine/ }).click();
    await press(other, "Save");
    await page.locator(".prose", { hasText: "both" }).waitFor();
    // What is sent before the other tab's change has been heard of is refused by the server.
    await press(page, "Edit");
    await page.getByLabel("Text").fill("late");
    await page.route("**/mcp", async (route) => {
      if (route.request().postData().includes("console_change")) await call("update", { id, content: "just before" });
      await route.continue();
    });
    await press(page, "Save");
    await page.locator(".toast.bad", { hasText: "changed meanwhile" }).waitFor();
    assert.equal(await page.getByLabel("Text").inputValue(), "late");
    await page.unroute("**/mcp");
  },

  async history({ page, base, call }) {
    const { id, tx_id: first } = await call("store", { topic: "Mary's tea", content: "mint" });
    await call("update", { id, content: "with honey" });
    await go(page, base, "#/history");
    await see(page, "Mary's tea: mint → with honey");
    await page.getByLabel("Search in history").fill("honey");
    await page.locator(".lines li").nth(1).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Undo: Mary's tea: mint → with honey" }).click();
    await page.locator(".preview del", { hasText: "with honey" }).waitFor();
    await page.locator(".preview ins", { hasText: "mint" }).waitFor();
    await press(page, "Undo this");
    await see(page, /was taken back\./);
    await see(page, /taken back by/);
    await page.getByLabel("Search in history").fill("");
    await call("update", { id, content: "with lemon" });
    await see(page, /with lemon/);
    const slider = page.getByRole("slider");
    await slider.fill(String(first));
    await see(page, /You are looking at the past/);
    await page.getByRole("link", { name: "Find" }).click();
    await page.getByRole("searchbox").fill("Mary");
    await page.locator(".passage", { hasText: "mint" }).waitFor();
    await press(page, "Back to now");
    await page.locator(".passage", { hasText: "with lemon" }).waitFor();
  },

  async reviewing({ page, base, call }) {
    const claim = { subject: "Hedy", predicate: "works_at" };
    await call("relate", { ...claim, object: "Radio Works" });
    await call("relate", { ...claim, object: "Film Studio" });
    await go(page, base, "#/review");
    await see(page, "Hedy works at Radio Works");
    await see(page, "Hedy works at Film Studio");
    await page.locator(".task.at").waitFor();
    await page.keyboard.press("1");
    await see(page, "Nothing waits for you.");
    await go(page, base, "#/thing/Hedy");
    await page.locator(".ties a", { hasText: "Film Studio" }).first().waitFor();
  },

  async documents({ page, base }) {
    await go(page, base, "#/documents");
    const chooser = page.locator("input[type=file]");
    const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await chooser.setInputFiles([file("engine.html", "<h1>Engine</h1><p>The analytical engine weaves patterns.</p>")]);
    await page.locator("li.completed a", { hasText: "engine.html" }).waitFor({ timeout: 20000 });
    await chooser.setInputFiles([file("broken.pdf", "no pdf at all")]);
    await page.locator(".jobs .reason, .jobs [role=alert]").first().waitFor({ timeout: 20000 });
    await press(page, "Dismiss");
    await page.locator(".jobs", { hasText: "broken.pdf" }).waitFor({ state: "detached" });
    let release;
    const held = new Promise((done) => (release = done));
    await page.route("**/uploads*", async (route) => {
      await held;
      await route.abort();
    });
    await chooser.setInputFiles([file("slow.txt", "slow")]);
    await see(page, "slow.txt");
    await press(page, "Cancel");
    await page.getByText("slow.txt").waitFor({ state: "detached" });
    release();
    const dropped = await page.evaluateHandle(() => {
      const given = new DataTransfer();
      given.items.add(new File(["<p>Dropped looms.</p>"], "dropped.html", { type: "text/html" }));
      return given;
    });
    await page.unroute("**/uploads*");
    await page.locator(".drop").dispatchEvent("drop", { dataTransfer: dropped });
    await page.locator("li.completed a", { hasText: "dropped.html" }).click({ timeout: 20000 });
    await see(page, "Dropped looms.");
  },

  async graph({ page, base, call }) {
    await call("relate", { subject: "Joan", predicate: "knows", object: "Alan" });
    await call("relate", { subject: "Alan", predicate: "knows", object: "Max" });
    await go(page, base, "#/graph/Joan");
    await page.getByRole("button", { name: "Alan, entity" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Max, entity" }).count(), 0);
    await page.getByRole("button", { name: "Alan, entity" }).click();
    await page.getByRole("button", { name: "Max, entity" }).waitFor();
    await page.getByText("As a table").click();
    await page.getByRole("cell", { name: "Max" }).waitFor();
    const saved = page.waitForEvent("download");
    await press(page, "Save as SVG");
    assert.equal((await saved).suggestedFilename(), "graph.svg");
  },

  async remembering({ page, base, call }) {
    for (const place of ["shed", "yard", "attic", "cellar"]) {
      for (const thing of ["kiln", "wheel", "loom"]) {
        await call("store_memory", { content: `The ${thing} stands in the ${place} of the workshop.`, rationale: "Seen there." });
      }
    }
    await go(page, base, "#/memory");
    await see(page, "Nothing was asked yet.");
    await see(page, "There was no dream yet.");
    await call("inject_context", { query: "zebra crossing" });
    await call("trigger_dream", { blocking: true });
    await see(page, /went through \d+ memories/);
    await see(page, /^12 memories$/);
    await page.reload();
    await page.locator(".memory .lines a", { hasText: "zebra crossing" }).click();
    await page.getByRole("searchbox", { name: "Search everything" }).waitFor();
    assert.equal(await page.getByRole("searchbox", { name: "Search everything" }).inputValue(), "zebra crossing");
    await go(page, base, "#/memory");
    await page.locator("table.topics a").first().click();
    await page.locator("mark").first().waitFor();
  },

  async doing_well({ page, base, context }) {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await go(page, base, "#/health");
    await see(page, "All is well.");
    await see(page, "search in default");
    await press(page, "Look closely");
    await see(page, "integrity");
    await page.locator(".health aside li", { hasText: /^page/ }).waitFor();
    await page.getByRole("button", { name: "Copy: Run this" }).click();
    await see(page, "Copied");
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      `claude mcp add --transport http memotheca ${base}/mcp`,
    );
    await page.getByLabel("Client").selectOption({ label: "Codex" });
    await see(page, /codex mcp add/);
    assert.equal(await page.getByText("Log out").count(), 0);
  },

  async mending_notes({ page, base, vault }) {
    await go(page, base, "#/documents");
    await page.locator(".notes", { hasText: "3 notes" }).waitFor();
    await page.locator("summary", { hasText: "Broken links" }).click();
    await page.locator(".ghost", { hasText: "[[nowhere]]" }).waitFor();
    writeFileSync(`${vault}/nowhere.md`, "# Nowhere\n");
    await page.locator(".ghost", { hasText: "[[nowhere]]" }).waitFor({ state: "detached" });
    await page.locator("summary", { hasText: "Notes without a link" }).click();
    await page.getByRole("link", { name: "alone.md" }).click();
    await press(page, "Edit");
    await page.getByLabel("Text").fill("# Alone\n\nNow [[tea]].\n");
    await press(page, "Save");
    await page.locator(".ties a", { hasText: "Tea" }).first().waitFor();
    assert.match(readFileSync(`${vault}/alone.md`, "utf8"), /Now \[\[tea\]\]/);
  },

  async collections({ page, base, call }) {
    await call("store", { topic: "apart", content: "Only in the other collection." }, "/c/work/mcp");
    await go(page, base, "c/work/#/find?q=apart");
    await page.locator(".passage", { hasText: "Only in the other collection." }).waitFor();
    assert.equal(await page.locator(".collection").innerText(), "work");
    await go(page, base, "c/work/#/documents");
    const file = { name: "apart.html", mimeType: "text/html", buffer: Buffer.from("<p>A file of its own.</p>") };
    await page.locator("input[type=file]").setInputFiles([file]);
    await page.locator("li.completed a", { hasText: "apart.html" }).waitFor({ timeout: 20000 });
    await go(page, base, "c/work/#/health");
    await see(page, `claude mcp add --transport http memotheca ${base}/c/work/mcp`);
    await go(page, base, "#/find?q=apart");
    await see(page, /Nothing was found|found/);
    assert.equal(await page.getByText("Only in the other collection.").count(), 0);
    const page404 = await page.goto(`${base}/c/nobody/`);
    assert.equal(page404.status(), 200);
    await see(page, /no such collection|not for whoever asks/i);
  },

  async map({ page, base, call }) {
    for (const [subject, object] of [["Lise", "Otto"], ["Otto", "Fritz"], ["Fritz", "Niels"], ["Lise", "Emilie"]]) {
      await call("relate", { subject, predicate: "wrote_to", object, multi: true });
    }
    await call("store", { topic: "Barium", content: "A trace of it was found." });
    await go(page, base, "#/graph");
    const canvas = page.getByRole("application");
    await canvas.waitFor();
    await see(page, /things, .* links/);
    await page.getByText("As a table").click();
    await page.getByRole("cell", { name: "Niels" }).getByRole("button").click();
    const panel = page.getByLabel("What is chosen");
    await panel.getByRole("link", { name: "Niels" }).waitFor();
    await panel.getByRole("button", { name: "Way from here …" }).click();
    await page.getByRole("cell", { name: "Emilie" }).getByRole("button").click();
    await panel.getByRole("button", { name: "Way from Niels to here" }).click();
    await page.getByRole("heading", { name: "A way of 4 links" }).waitFor();
    assert.equal(await panel.locator("ol li").count(), 4);
    await canvas.focus();
    for (const key of ["ArrowLeft", "+", "+", "-", "0", "Escape"]) await page.keyboard.press(key);
    await panel.waitFor({ state: "detached" });
    await page.getByLabel("Find on the map").fill("barium");
    await see(page, /^\d+ found$/);
    await page.getByLabel("Find on the map").press("Enter");
    await panel.getByRole("link", { name: "Barium" }).waitFor();
    await page.getByLabel("Find on the map").fill("");
    await page.getByLabel("Colours").selectOption("topic");
    await page.getByRole("group", { name: "Topics" }).getByRole("button").first().click();
    await page.getByRole("group", { name: "What is shown" }).getByRole("button", { name: /entity/ }).click();
    await page.getByRole("cell", { name: "Niels" }).waitFor({ state: "detached" });
    await call("store", { topic: "Uranium", content: "It was split." });
    await page.getByRole("cell", { name: "Uranium" }).waitFor();
    for (const [button, name] of [["Save as SVG", "graph.svg"], ["Save as PNG", "graph.png"]]) {
      const saved = page.waitForEvent("download");
      await press(page, button);
      const file = await saved;
      assert.equal(file.suggestedFilename(), name);
      const content = readFileSync(await file.path());
      if (name.endsWith("svg")) assert.match(content.toString("utf8"), /<circle|<image/);
      else assert.equal(content.subarray(1, 4).toString(), "PNG");
    }
    await go(page, base, "#/graph?at=Otto");
    await panel.getByRole("link", { name: "Otto" }).waitFor();
    await panel.getByRole("link", { name: "What is near it" }).click();
    await page.getByRole("button", { name: "Fritz, entity" }).waitFor();
    await page.getByRole("link", { name: "Show on the map" }).click();
    await panel.getByRole("link", { name: "Otto" }).waitFor();
  },

  async living({ page, base, call }) {
    await go(page, base, "");
    await page.locator(".status").waitFor();
    await page.waitForTimeout(300); // until the stream has begun
    await call("store", { topic: "news", content: "Something another client has stored." });
    await page.getByText("Something another client has stored.").waitFor({ timeout: 1500 });
  },

  async hostility({ page, base, call }) {
    const body = `# ${HOSTILE}\n\n${HOSTILE}\n\n[go](javascript:window.hacked=1) ![p](http://evil.example/p.png)\n\n| ${HOSTILE} |\n|---|\n| ${HOSTILE} |`;
    const { id } = await call("store", { topic: HOSTILE, content: body, tags: [HOSTILE], source: HOSTILE, actor: HOSTILE });
    await call("update", { id, content: `${body}\n\nmore ${HOSTILE}` });
    await call("relate", { subject: HOSTILE, predicate: "works_at", object: `one ${HOSTILE}` });
    await call("relate", { subject: HOSTILE, predicate: "works_at", object: `two ${HOSTILE}` });
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    for (const hash of ["#/find?q=hacked", `#/thing/${id}`, "#/history", "#/review", `#/graph/${encodeURIComponent(HOSTILE)}`]) {
      await go(page, base, hash);
      await see(page, /onerror/);
      assert.equal(await page.evaluate(() => window.hacked), undefined, hash);
      assert.equal(await page.locator("main script, main img, main a[href^=javascript]").count(), 0, hash);
    }
    assert.deepEqual(asked.filter((url) => !url.startsWith(base)), []);
    await page.goto(`${base}/#/review`);
    await see(page, /onerror/);
    await page.locator(".task.at").waitFor();
    await page.keyboard.press("3");
    await see(page, "Nothing waits for you.");
  },

  async size({ page, base, call }) {
    const rows = Array.from({ length: 9000 }, (_, index) => `| ${index} | x |`).join("\n").slice(0, 98_000);
    const { id } = await call("store", { topic: "huge", content: `| a | b |\n|---|---|\n${rows}` });
    await go(page, base, `#/thing/${id}`);
    await see(page, /more rows/);
  },

  async losing({ page, base, call }) {
    const port = Number(new URL(base).port);
    const sockets = new Set();
    const proxy = net.createServer((socket) => {
      const there = net.connect(port, "127.0.0.1");
      for (const each of [socket, there]) {
        sockets.add(each);
        each.on("error", () => each.destroy()).on("close", () => sockets.delete(each));
      }
      socket.pipe(there).pipe(socket);
    });
    const listen = (at) => new Promise((done) => proxy.listen(at, "127.0.0.1", done));
    await listen(0);
    const own = proxy.address().port;
    await page.goto(`http://127.0.0.1:${own}/`);
    await page.locator(".status").waitFor();
    await page.waitForTimeout(300);
    const closed = new Promise((done) => proxy.close(done));
    sockets.forEach((socket) => socket.destroy());
    await closed;
    await see(page, /No connection/);
    await call("store", { topic: "meanwhile", content: "Said while the line was down." });
    await listen(own);
    await page.getByText("Said while the line was down.").waitFor({ timeout: 10000 });
    await page.getByText(/No connection/).waitFor({ state: "detached" });
    proxy.close();
    sockets.forEach((socket) => socket.destroy());
  },

  async entering({ page, base, token }) {
    await go(page, base, "");
    await page.getByLabel("Token").fill("mt_wrong");
    await press(page, "Log in");
    await see(page, /not a token of this server/);
    await page.getByLabel("Token").fill(token);
    await press(page, "Log in");
    await page.getByRole("searchbox").waitFor();
    await page.reload();
    await page.getByRole("searchbox").waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]));
    assert.ok(!kept.includes(token));
    await press(page, "Log out");
    await page.getByLabel("Token").waitFor();
    await page.goto("about:blank");
    await go(page, base, `#token=${token}`);
    await page.getByRole("searchbox").waitFor();
    assert.ok(!page.url().includes(token));
  },

  async looks({ page, base, call, axe }) {
    const { id } = await call("store", { topic: "looks", content: "# A\n\nA **long** text with `code` and a https://a.example/very/long/address/that/goes/on" });
    await call("update", { id, content: "Another." });
    await call("relate", { subject: "Looks", predicate: "knows", object: "Views" });
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const hash of ["#/find?q=looks", `#/thing/${id}`, "#/history", "#/review", "#/documents", "#/memory", "#/health", "#/graph", "#/graph/Looks"]) {
        await page.setViewportSize({ width: scheme === "light" ? 320 : 1200, height: 800 });
        await go(page, base, hash);
        await page.locator("main h1").first().waitFor({ state: "attached" });
        await page.waitForLoadState("load");
        await page.waitForTimeout(250);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${hash} is ${wide} pixels too wide`);
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        const bad = found.violations.filter((each) => ["serious", "critical"].includes(each.impact));
        assert.deepEqual(bad.map((each) => [each.id, each.nodes.map((node) => node.html)]), [], `${hash} ${scheme}`);
      }
    }
  },
};
