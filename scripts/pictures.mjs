// Looks at each view in Chromium and keeps a picture of it.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [base, out, which] = process.argv.slice(2);
const tools = fileURLToPath(new URL("../tests/clients/package.json", import.meta.url));
const { chromium } = createRequire(tools)("playwright-core");
const VIEWS = {
  find: "#/find?q=glaze firing",
  thing: "#/thing/workshop%2Fkiln.md",
  history: "#/history",
  page: "#/thing/letter%20of%20May.pdf",
  graph: "#/graph/Kiln",
  map: "#/graph?at=Kiln",
  review: "#/review",
  documents: "#/documents",
  memory: "#/memory",
  health: "#/health",
};
// What docs/pictures has: each view once, some of them dark.
const KEPT = [["find", "light"], ["thing", "light"], ["page", "light"], ["map", "dark"], ["history", "light"], ["review", "dark"], ["memory", "light"], ["health", "dark"]];
const ALL = Object.keys(VIEWS).flatMap((view) => ["light", "dark"].map((scheme) => [view, scheme]));

const browser = await chromium.launch({ executablePath: execFileSync("which", ["chromium"]).toString().trim(), args: ["--no-sandbox", "--disable-gpu"] });
for (const width of which === "all" ? [1440, 800, 320] : [1200]) {
  for (const [view, scheme] of which === "all" ? ALL : KEPT) {
    const page = await browser.newPage({ viewport: { width, height: 760 }, colorScheme: scheme });
    await page.goto(base + VIEWS[view]);
    await page.locator("main h1").first().waitFor({ state: "attached" });
    await page.waitForLoadState("load");
    await page.waitForTimeout(900); // a picture is taken of what has settled
    const name = which === "all" ? `${view}-${scheme}-${width}.png` : `${view}.png`;
    await page.screenshot({ path: join(out, name), fullPage: which === "all" });
    await page.close();
  }
}
await browser.close();
