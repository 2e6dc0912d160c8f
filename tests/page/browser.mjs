// Plays scenarios in Chromium: one line of JSON in for each, one out. A message on the console or an error fails it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { appScenarios } from "./app_scenarios.mjs";
import { graphScenarios } from "./graph_scenarios.mjs";
import { PATIENCE } from "./patience.mjs";
import { scenarios as own } from "./scenarios.mjs";

const scenarios = { ...own, ...graphScenarios, ...appScenarios };
const [tools, chromiumPath] = process.argv.slice(2);
const require = createRequire(`${tools}/package.json`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
// What a browser says of requests that were refused or lost is what those scenarios are about.
const EXPECTED = /Failed to load resource|net::ERR_/;

async function play({ scenario, base, ...given }) {
  const context = await browser.newContext({ bypassCSP: scenario.startsWith("looks"), viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  context.setDefaultTimeout(PATIENCE);
  const said = [];
  const forgiven = [EXPECTED];
  page.on("console", (message) => message.type() === "error" && !forgiven.some((each) => each.test(message.text())) && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  const call = async (name, input, door = "/mcp") => {
    const headers = { "Content-Type": "application/json", Accept: "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } });
    const answer = await (await fetch(`${base}${door}`, { method: "POST", headers, body })).json();
    if (answer.error ?? answer.result.isError) throw new Error(answer.error?.message ?? answer.result.content[0].text);
    return answer.result.structuredContent;
  };
  try {
    const forgive = (pattern) => forgiven.push(pattern);
    await scenarios[scenario]({ page, context, base, call, axe, forgive, ...given });
    if (said.length > 0) throw new Error(`The console says: ${said.join("; ")}`);
    return { ok: true };
  } catch (error) {
    const shown = await page.locator("body").innerText({ timeout: 500 }).catch(() => "");
    return { ok: false, error: `${error.stack ?? error}\n--- on the page:\n${shown.slice(0, 1500)}\n${said.join("\n")}` };
  } finally {
    await context.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await play(JSON.parse(line)))}\n`);
}
await browser.close();
