// The map as a file: PNG as it is on the screen, SVG with lines and circles where they can be told apart.
import { GHOST } from "./columns";
import { spell } from "./raster";
import { ends, radius, short, type Scene } from "./scene";

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// No letter that XML has no way to hold.
const escape = (text: string) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "").replace(/[&<>"]/g, (letter) => ESCAPES[letter]!);
const round = (number: number) => Math.round(number * 10) / 10;

/** What is on the screen, in one canvas. */
function flatten(scene: Scene, base: HTMLCanvasElement, over: HTMLCanvasElement): HTMLCanvasElement {
  const made = document.createElement("canvas");
  [made.width, made.height] = [over.width, over.height];
  const context = made.getContext("2d")!;
  context.fillStyle = spell(scene.dressed!.colours.paper);
  context.fillRect(0, 0, made.width, made.height);
  context.drawImage(base, 0, 0, made.width, made.height);
  context.drawImage(over, 0, 0);
  return made;
}

export function toPng(scene: Scene, base: HTMLCanvasElement, over: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    flatten(scene, base, over).toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

/** Lines, circles and names; where there are too many, they are a picture within, and names stay text. */
export function toSvg(scene: Scene, base: HTMLCanvasElement): Blob {
  const { look, colours, ink } = scene.dressed!;
  const { highlight, names } = scene.marks;
  const { width, height, graph } = scene;
  const paper = spell(colours.paper);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="${paper}"/>`,
  ];
  const line = (link: number, colour: string, thick: number) => {
    const [x0, y0, x1, y1] = ends(scene, link)?.map(round) ?? [];
    if (x0 !== undefined) parts.push(`<path d="M${x0} ${y0}L${x1} ${y1}" stroke="${colour}" stroke-width="${thick}"/>`);
  };
  if (scene.isNear) {
    for (const link of scene.visible.links) line(link, spell(colours.links[look.linkType[graph.relation[link]!]!]!), 1);
  } else {
    parts.push(`<image width="${round(width)}" height="${round(height)}" href="${base.toDataURL("image/png")}"/>`);
  }
  for (const link of highlight.links) line(link, ink, 2.5);
  for (const node of scene.isNear ? scene.visible.nodes : highlight.nodes) {
    const [x, y] = scene.at(node).map(round);
    const colour = spell(colours.nodes[look.colour[node]!]!);
    const dressed = graph.kind[node] === GHOST ? `fill="${paper}" stroke="${colour}" stroke-dasharray="3 2"` : `fill="${colour}" stroke="${paper}"`;
    const share = look.shown[node] === 2 ? "" : ' opacity="0.2"';
    parts.push(`<circle cx="${x}" cy="${y}" r="${round(radius(scene, node))}" ${dressed}${share}/>`);
  }
  for (const node of new Set([...scene.shownLabels, ...highlight.nodes])) {
    const title = names.get(node)?.title;
    const [x, y] = scene.at(node);
    if (title === undefined) continue;
    const place = `x="${round(x)}" y="${round(y - radius(scene, node) - 5)}" text-anchor="middle"`;
    parts.push(`<text ${place} fill="${ink}" stroke="${paper}" stroke-width="3" paint-order="stroke">${escape(short(title))}</text>`);
  }
  return new Blob([...parts, "</svg>"], { type: "image/svg+xml" });
}
