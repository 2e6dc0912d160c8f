// Files out of what was dropped, folders and what is in them included.

const MOST = 2000; // chosen: a folder of more is brought in on the command line

export async function filesOf(dropped: DataTransfer): Promise<File[]> {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.every((entry) => entry === null)) return [...dropped.files];
  const found: File[] = [];
  for (const entry of entries) if (entry !== null) await gather(entry, found);
  return found;
}

async function gather(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (found.length >= MOST || entry.name.startsWith(".")) return;
  if (entry.isFile) {
    found.push(await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return;
    for (const each of some) await gather(each, found);
  }
}
