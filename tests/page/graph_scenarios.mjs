// What a person does with the graph: near a thing, on the map, and as it was.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { go, press, see } from "./acts.mjs";
import { until } from "./patience.mjs";

export const graphScenarios = {
  async graph({ page, base, call }) {
    await call("relate", { subject: "Joan", predicate: "knows", object: "Alan" });
    await call("relate", { subject: "Alan", predicate: "knows", object: "Max" });
    await go(page, base, "#/graph/Joan");
    await page.getByRole("button", { name: "Alan, entity" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Max, entity" }).count(), 0);
    await page.getByRole("button", { name: "Alan, entity" }).locator("circle").click();
    await page.getByRole("button", { name: "Max, entity" }).waitFor();
    await page.getByText("As a table").click();
    await page.getByRole("cell", { name: "Max" }).waitFor();
    await page.getByRole("list", { name: "What is shown" }).getByText("relation").waitFor();
    for (const [button, name, begins] of [["Save as SVG", "graph.svg", "<svg"], ["Save as PNG", "graph.png", "\x89PNG"]]) {
      const saved = page.waitForEvent("download");
      await press(page, button);
      const file = await saved;
      assert.equal(file.suggestedFilename(), name);
      assert.ok(readFileSync(await file.path()).toString("latin1").startsWith(begins));
    }
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
    await until(async () => (await panel.locator("ol li").count()) === 4);
    await canvas.focus();
    for (const key of ["ArrowLeft", "+", "+", "-", "0", "Escape"]) await page.keyboard.press(key);
    await panel.waitFor({ state: "detached" });
    await page.getByLabel("Find on the map").fill("barium");
    await page.getByLabel("Find on the map").press("Enter"); // before the answer is there
    await panel.getByRole("link", { name: "Barium" }).waitFor();
    await page.getByLabel("Find on the map").fill("");
    await page.getByLabel("Colours").selectOption("topic");
    await page.getByRole("group", { name: "Topics" }).getByRole("button").first().click();
    await page.getByRole("group", { name: "What is shown" }).getByRole("button", { name: /entity/ }).click();
    await page.getByRole("cell", { name: "Niels" }).waitFor({ state: "detached" });
    await call("store", { topic: "Uranium", content: "It was split." });
    await page.getByLabel("Find on the map").fill("uranium"); // there may be more rows than a page of the table has
    await page.getByRole("cell", { name: "Uranium" }).waitFor();
    await page.getByLabel("Find on the map").fill("");
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

  async causes_and_effects({ page, base, call }) {
    const remember = async (name, content, more) => (await call("store_memory", { name, content, rationale: "It was seen.", ...more })).node_id;
    const rain = await remember("Rain", "It rained all night over the quarry.");
    const flood = await remember("Flood", "Water stood in the quarry's pit.");
    const halt = await remember("Halt", "Work in the quarry stopped for a week.");
    const guard = await remember("Pump", "A pump was bought for the pit.");
    for (const [one, other, relation] of [[rain, flood, "causes"], [flood, halt, "causes"], [guard, flood, "prevents"]]) {
      await call("annotate_node", { node_id: one, link_to: [other], relation });
    }
    await go(page, base, `#/graph?at=${flood}`);
    const panel = page.getByLabel("What is chosen");
    await panel.getByRole("link", { name: "Flood" }).waitFor();
    await panel.getByRole("button", { name: "Causes", exact: true }).click();
    await see(page, "1 causal link leads to it");
    await panel.locator("ol li", { hasText: /Rain.*causes.*Flood/ }).waitFor();
    assert.equal(await panel.locator("ol li").count(), 1, "what prevents it is no cause");
    await panel.getByRole("button", { name: "Effects", exact: true }).click();
    await see(page, "1 causal link leads on from it");
    await panel.locator("ol li", { hasText: /Flood.*causes.*Halt/ }).waitFor();
    await panel.locator("ol li").getByRole("button", { name: "Halt" }).click();
    await panel.getByRole("link", { name: "Halt" }).waitFor();
    await panel.getByRole("button", { name: "Causes", exact: true }).click();
    await see(page, "2 causal links lead to it");
    await until(async () => (await panel.locator("ol li").count()) === 2);
  },

  async the_graph_as_it_was({ page, base, call }) {
    await call("relate", { subject: "Vesuvius", predicate: "buried", object: "Pompeii", multi: true });
    const { id, tx_id: then } = await call("store", { topic: "Casts", content: "Of plaster." });
    await call("delete", { id });
    await call("relate", { subject: "Vesuvius", predicate: "buried", object: "Oplontis", multi: true });
    await go(page, base, "#/graph");
    await page.getByText("As a table").click();
    const cell = (name) => page.getByRole("cell", { name, exact: true });
    await page.getByLabel("Find on the map").fill("Oplontis");
    await cell("Oplontis").getByRole("button").click();
    const panel = page.getByLabel("What is chosen");
    await panel.getByRole("link", { name: "Oplontis" }).waitFor();
    await page.getByLabel("Find on the map").fill("casts");
    const slider = page.getByRole("slider");
    await slider.fill(String(then));
    await see(page, /You are looking at the past/);
    await cell("Casts").waitFor();
    assert.equal(await cell("Oplontis").count(), 0);
    await panel.waitFor({ state: "detached" });
    await page.getByLabel("Find on the map").fill("Pompeii");
    await cell("Pompeii").getByRole("button").click();
    await panel.getByRole("link", { name: "Pompeii" }).waitFor();
    await panel.getByRole("link", { name: "What is near it" }).click();
    await page.getByRole("button", { name: "Vesuvius, entity" }).locator("circle").click();
    await until(async () => (await page.locator("svg.drawing g.node").count()) === 2);
    await press(page, "Back to now");
    await page.getByRole("button", { name: "Oplontis, entity" }).waitFor();
    // What others commit appears near a thing as well.
    await call("relate", { subject: "Vesuvius", predicate: "buried", object: "Stabiae", multi: true });
    await page.getByRole("button", { name: "Stabiae, entity" }).waitFor();
  },
};
