// Times as people say them, in the words of their browser.
import { t } from "../texts";

const DAY = 86_400_000;

const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

/** Today by the clock, this week by the day, else by the date. */
export function sayTime(iso: string | null | undefined, now = Date.now()): string {
  if (!iso) return "";
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return iso;
  const days = Math.round((startOfDay(then.getTime()) - startOfDay(now)) / DAY);
  if (days === 0) return hour.format(then);
  if (days > -7 && days < 0) return `${relative.format(days, "day")}, ${hour.format(then)}`;
  return day.format(then);
}

export function sayFully(iso: string | null | undefined): string {
  if (!iso) return "";
  const then = new Date(iso);
  return Number.isNaN(then.getTime()) ? iso : `${day.format(then)}, ${hour.format(then)}`;
}

export function saySeconds(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

export function sayNumber(count: number): string {
  return count.toLocaleString();
}

/** Sizes as people say them. */
export function sayBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit++) bytes /= 1000;
  return `${unit > 0 && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** What is kept beside a text: a list line by line, and whatever has no words as it is. */
export function sayValue(value: unknown): string {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) ? sayFully(value) : value;
  if (typeof value === "boolean") return value ? t.yes : t.no;
  return Array.isArray(value) ? value.map(sayValue).join("\n") : JSON.stringify(value);
}
