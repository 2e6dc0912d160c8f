// What a person does with a view within a client: the extension's host side around it, its sandbox and its policy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { until } from "./patience.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
let bundled;

async function bundle() {
  const { build } = createRequire(at("../../web/package.json"))("esbuild");
  const nodePaths = [at("../clients/node_modules")];
  const made = await build({ entryPoints: [at("app_host.mjs")], bundle: true, write: false, format: "iife", nodePaths });
  return made.outputFiles[0].text;
}

/** A page of the client's, at the server's own address so that it reaches it. */
async function meet(page, base, isModern) {
  bundled ??= await bundle();
  await page.route(`${base}/host/`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>host</title><body>" }));
  await page.route(`${PROXY}**`, (route) => route.fulfill({ contentType: "text/html", body: readFileSync(at("app_sandbox.html"), "utf8") }));
  await page.goto(`${base}/host/`);
  await page.addScriptTag({ content: bundled });
  return page.evaluate((modern) => window.meet(modern), isModern);
}

const PROXY = "http://sandbox.example/";
const display = (page, name, input, proxy) => page.evaluate((given) => window.display(...given), [name, input, proxy]);
const heard = (page) => page.evaluate(() => window.heard);

export const appScenarios = {
  async within_a_client({ page, base, call }) {
    for (const isModern of [false, true]) {
      const told = await meet(page, base, isModern);
      assert.deepEqual(told.extensions["io.modelcontextprotocol/ui"], { mimeTypes: ["text/html;profile=mcp-app"] });
    }
    await call("store", { topic: "Sencha", content: "Steep it at seventy degrees, says https://tea.example/how." });
    await call("relate", { subject: "Ines", predicate: "knows", object: "Kurt" });
    await call("relate", { subject: "Kurt", predicate: "knows", object: "Nora" });
    const view = page.frameLocator("iframe");

    const shown = await display(page, "query", { content: "seventy degrees" });
    assert.equal(shown.type, "text/html;profile=mcp-app");
    assert.equal(shown.meta["ui/resourceUri"], shown.meta.ui.resourceUri);
    assert.ok(shown.bytes <= 150_000, `${shown.bytes} bytes`);
    await view.locator("mark", { hasText: "seventy" }).first().waitFor();
    await until(async () => (await view.getByRole("searchbox").inputValue()) === "seventy degrees");
    await view.getByRole("link", { name: "Sencha" }).first().click();
    await view.getByRole("heading", { name: "Sencha" }).waitFor();
    await view.locator(".prose a").click();
    await page.waitForFunction(() => window.heard.links.length > 0);
    assert.deepEqual((await heard(page)).links, ["https://tea.example/how"]);
    await view.getByRole("button", { name: "Back" }).click();
    await view.locator("mark", { hasText: "seventy" }).first().waitFor();
    await view.getByRole("button", { name: "Full screen" }).click();
    await page.waitForFunction(() => window.heard.modes.length > 0);
    assert.ok((await heard(page)).sizes.every(({ height }) => height > 50));
    assert.ok((await heard(page)).sizes.length > 0);

    await display(page, "query_graph", { subject: "Ines" });
    await view.getByRole("button", { name: "Kurt, entity" }).locator("circle").click();
    await view.getByRole("button", { name: "Nora, entity" }).waitFor();
    await view.getByRole("link", { name: "Show on the map" }).click();
    await view.getByRole("application").waitFor();
    await view.getByRole("button", { name: "Save as PNG" }).click();
    await page.waitForFunction(() => window.heard.files.length > 0);
    const [file] = (await heard(page)).files;
    assert.deepEqual([file.mimeType, file.uri], ["image/png", "file:///graph.png"]);
    await page.evaluate(() => window.bridge.setHostContext({ theme: "dark", styles: { variables: { "--color-text-primary": "rgb(250, 0, 0)" } } }));
    await page.frames()[1].waitForFunction(() => getComputedStyle(document.body).color === "rgb(250, 0, 0)");

    await display(page, "console_map", {});
    await view.getByText(/things, .* links/).waitFor();
  },

  async settling_within_a_client({ page, base, call, forgive }) {
    await meet(page, base, true);
    const claim = { subject: "Marie", predicate: "works_at" };
    await call("relate", { ...claim, object: "Sorbonne" });
    await call("relate", { ...claim, object: "Institute" });
    const view = page.frameLocator("iframe").frameLocator("iframe");
    const { wants } = await display(page, "console_tasks", {}, PROXY);
    assert.equal(wants.csp, undefined, "it declares nobody that it would reach");
    await view.getByText("Marie works at Institute").first().waitFor();
    await view.locator(".task button").first().click();
    await view.getByText("Nothing waits for you.").waitFor();
    await display(page, "console_read", { handle: "Marie" }, PROXY);
    await view.getByRole("heading", { name: "Marie" }).waitFor();
    await call("relate", { subject: "Marie", predicate: "found", object: "Radium" });
    await view.locator(".ties a", { hasText: "Radium" }).waitFor();
    await display(page, "knowledge-search", { query: "the analytical engine" }, PROXY);
    await until(async () => (await view.getByRole("searchbox").inputValue()) === "the analytical engine");
    assert.equal(await page.evaluate(() => document.querySelector("iframe").contentDocument), null, "it cannot be looked into");
    forgive(/Content Security Policy/); // of what is tried on purpose
    const inside = page.frames().find((frame) => frame.parentFrame()?.url().startsWith(PROXY));
    const tried = await inside.evaluate(() => Promise.allSettled([fetch("/mcp"), fetch("https://a.example"), new Promise((_, no) => no(parent.parent.document))]));
    assert.deepEqual(tried.map(({ status }) => status), ["rejected", "rejected", "rejected"]);
  },
};
