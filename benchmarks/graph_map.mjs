// Looks at the map of a server in Chromium: when its first picture stood, and what moving it costs. One line of JSON.
import { createRequire } from "node:module";

const [tools, chromiumPath, base, frames] = process.argv.slice(2);
const { chromium } = createRequire(`${tools}/package.json`)("playwright-core");
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
const devtools = await context.newCDPSession(page);
// The main thread's time on a processor, which other work on the machine does not lengthen.
await devtools.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
await devtools.send("Performance.enable");
const metrics = async () => Object.fromEntries((await devtools.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
// The page is there and the map is not: what a person waits for is what comes after the click.
const drawn = () => page.waitForFunction(() => performance.getEntriesByName("map drawn").length > 0, null, { timeout: 120_000 });
await page.goto(`${base}/#/history`);
await page.getByRole("link", { name: "Graph" }).waitFor();
await page.waitForTimeout(1000);
const begun = await metrics();
const clicked = await page.evaluate(() => {
  const link = [...document.querySelectorAll("nav a")].find((each) => each.textContent === "Graph");
  link.click();
  return performance.now();
});
await drawn();
const first = (await page.evaluate(() => performance.getEntriesByName("map drawn")[0].startTime)) - clicked;
const pictured = await metrics();
await page.waitForTimeout(6000);
const rested = await metrics();
const box = await page.getByRole("application").boundingBox();
const [x, y] = [box.x + box.width / 2, box.y + box.height / 3];
await page.mouse.move(x, y);
await page.mouse.down();
await page.evaluate(() => performance.clearMarks("map drawn"));
const still = await metrics();
const began = Date.now();
for (let turn = 0; turn < Number(frames); turn += 1) {
  const angle = turn / 12;
  await page.mouse.move(x + 90 * Math.cos(angle), y + 60 * Math.sin(angle));
}
const moved = await metrics();
const seconds = (Date.now() - began) / 1000;
const pictures = await page.evaluate(() => performance.getEntriesByName("map drawn").length);
await page.mouse.up();
await page.waitForTimeout(3000);
const heap = (await metrics()).JSHeapUsedSize;
const cpu = (from, to) => 1000 * (to.TaskDuration - from.TaskDuration);
const told = { first, firstCpu: cpu(begun, pictured), restCpu: cpu(pictured, rested), frameCpu: cpu(still, moved) / pictures, pictures, seconds, heap };
process.stdout.write(`${JSON.stringify(told)}\n`);
await browser.close();
