// Builds the page: index.html, one script and one style sheet with digests in their names, and the licences of what is in it.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "memotheca", "server", "page");

// Within a client, views go through the client's door.
const otherDoor = {
  name: "door",
  setup: (building) => building.onResolve({ filter: /\/door$/ }, () => ({ path: join(here, "src", "app", "door.ts") })),
};

async function bundle(entry, plugins = []) {
  const made = await build({
    entryPoints: [join(here, entry)],
    plugins,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  return made.outputFiles[0].contents;
}

async function write(name, ending, content) {
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 10);
  const file = `${name}-${digest}.${ending}`;
  await writeFile(join(out, "assets", file), content);
  return `assets/${file}`;
}

await rm(out, { recursive: true, force: true });
await mkdir(join(out, "assets"), { recursive: true });
const script = await write("app", "js", await bundle("src/main.tsx"));
const style = await write("app", "css", await bundle("src/style.css"));
const icon = await write("icon", "svg", await readFile(join(here, "src", "icon.svg")));
const licence = await readFile(join(here, "node_modules", "preact", "LICENSE"), "utf8");
await writeFile(join(out, "LICENSES"), `Preact\n\n${licence}`);
const index = await readFile(join(here, "src", "index.html"), "utf8");
const filled = index.replace("{script}", `/${script}`).replace("{style}", `/${style}`).replace("{icon}", `/${icon}`);
// The views for clients, as one file; what would end the script or the style is written so that it does not.
const app = await readFile(join(here, "src", "app", "app.html"), "utf8");
const inner = Buffer.from(await bundle("src/app/main.tsx", [otherDoor])).toString("utf8").replaceAll("</script", "<\\/script");
const dress = Buffer.from(await bundle("src/app/app.css")).toString("utf8");
await writeFile(join(out, "app.html"), app.replace("{licence}", () => licence).replace("{style}", () => dress).replace("{script}", () => inner));
// Written last: it says that the rest is there.
await writeFile(join(out, "index.html"), filled);
