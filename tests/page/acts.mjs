// What scenarios do again and again.
export const see = (page, text) => page.getByText(text).first().waitFor();
export const press = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
export const go = (page, base, hash) => page.goto(`${base}/${hash}`);
export const searchBox = (page) => page.getByRole("searchbox", { name: "Search everything" });

/** Answers when the page has begun to follow what others commit: its second look, which the first line of the stream brings. */
export const following = (page) => page.waitForResponse((answer) => (answer.request().postData() ?? "").includes("subscriptions/listen"));

/** Counts what the page has asked for and not been answered, but for the stream, which never ends. */
export function watchCalls(page) {
  const open = new Set();
  const isCall = (request) => !(request.postData() ?? "").includes("subscriptions/listen");
  page.on("request", (request) => isCall(request) && open.add(request));
  for (const event of ["requestfinished", "requestfailed"]) page.on(event, (request) => open.delete(request));
  const frames = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))));
  return async () => {
    for (let calm = 0; calm < 2; ) {
      await frames();
      calm = open.size === 0 ? calm + 1 : 0;
    }
  };
}
