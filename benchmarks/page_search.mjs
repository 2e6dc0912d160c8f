// Asks on the page as a person does, and measures within it: from the key to the frame that shows the answer.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { base, questions, tools, server } = JSON.parse(readFileSync(0, "utf8"));
const { chromium } = createRequire(`${tools}/package.json`)("playwright-core");
const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
const metrics = await page.context().newCDPSession(page);
await metrics.send("Performance.enable", { timeDomain: "threadTicks" }); // processor time, not the wall's
const cpu = async () => 1000 * (await metrics.send("Performance.getMetrics")).metrics.find((each) => each.name === "TaskDuration").value;

// Of Linux: ticks of a hundredth of a second, in its own words and for it.
const served = () => 10 * readFileSync(`/proc/${server}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).reduce((sum, each) => sum + Number(each), 0);

/** Write into the box as a key does; done when the list is no longer busy and a frame has been drawn. */
const ask = (keys, pause) =>
  page.evaluate(
    async ({ keys, pause }) => {
      const box = document.querySelector("input[type=search]");
      const list = document.querySelector(".hits");
      const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
      const press = (text) => {
        write.call(box, text);
        box.dispatchEvent(new InputEvent("input", { bubbles: true }));
      };
      for (const key of keys.slice(0, -1)) {
        press(key);
        await new Promise((done) => setTimeout(done, pause));
      }
      performance.clearResourceTimings();
      const began = performance.now();
      press(keys.at(-1));
      const shown = await new Promise((done) => {
        const look = () => {
          if (list.getAttribute("aria-busy") === "true") return;
          watch.disconnect();
          // After the frame that shows it.
          requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
        };
        const watch = new MutationObserver(look);
        watch.observe(list, { attributes: true, attributeFilter: ["aria-busy"] });
      });
      const asked = performance.getEntriesByType("resource").filter((each) => each.name.endsWith("/mcp"));
      const last = asked.at(-1);
      return { shown, answered: last ? last.responseEnd - last.requestStart : 0, hits: list.children.length };
    },
    { keys, pause },
  );

const seen = { pasted: [], typed: [], filtered: [], found: 0, served: {} };
const measure = async (manner, keysOf, pause) => {
  const before = served();
  for (const question of questions) await take(manner, keysOf(question), pause);
  seen.served[manner] = (served() - before) / questions.length;
};
const take = async (manner, keys, pause = 0) => {
  const before = await cpu();
  const told = await ask(keys, pause);
  seen[manner].push({ keys: keys.length, shown: told.shown, answered: told.answered, cpu: (await cpu()) - before });
  seen.found += told.hits > 0 ? 1 : 0;
};
await page.goto(base);
await page.locator(".hits li").first().waitFor({ timeout: 60_000 });
for (const question of questions.slice(0, 3)) await ask([question], 0); // the first loads the model and the index
await measure("pasted", (question) => [question]);
await measure("typed", (question) => Array.from(question, (_, at) => question.slice(0, at + 1)), 120);
await page.goto(`${base}#/find?kinds=entry&tag=common`);
await page.reload();
await page.locator(".hits li").first().waitFor();
await measure("filtered", (question) => [question]);
await browser.close();
process.stdout.write(JSON.stringify(seen));
