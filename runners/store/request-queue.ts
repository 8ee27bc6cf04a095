interface Entry<Item> {
  readonly item: Item;
  readonly arrival: number;
  readonly late: boolean;
  /** Everything that arrived up to here goes first; set when a late entry is first looked at. */
  barrier: number | null;
}

interface Line<Source, Item> {
  readonly source: Source;
  readonly entries: Entry<Item>[];
}

/**
 * Requests of several senders, served in turn: one that sends thousands cannot hold up another that sends one. The
 * requests of one sender keep their order. A *late* entry waits for everything that others had sent by the time its
 * turn comes: a worker's last outcome is stored before the rollout is taken away from it.
 */
export class RequestQueue<Source, Item> {
  #lines: Line<Source, Item>[] = [];
  #arrivals = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(source: Source, item: Item, late: boolean): void {
    this.#arrivals += 1;
    this.#size += 1;
    const entry: Entry<Item> = { item, arrival: this.#arrivals, late, barrier: null };
    const line = this.#lines.find((candidate) => candidate.source === source);
    if (line === undefined) {
      this.#lines.push({ source, entries: [entry] });
    } else {
      line.entries.push(entry);
    }
  }

  take(): { readonly source: Source; readonly item: Item } | undefined {
    for (let turns = this.#lines.length; turns > 0; turns -= 1) {
      const line = this.#lines.shift();
      const entry = line?.entries[0];
      if (line === undefined || entry === undefined) {
        return undefined;
      }
      if (this.#mustWait(entry)) {
        this.#lines.push(line);
        continue;
      }
      line.entries.shift();
      if (line.entries.length > 0) {
        this.#lines.push(line);
      }
      this.#size -= 1;
      return { source: line.source, item: entry.item };
    }
    return undefined;
  }

  /** Asked while the entry's own line is out of the list. Late entries never wait for one another. */
  #mustWait(entry: Entry<Item>): boolean {
    if (!entry.late) {
      return false;
    }
    entry.barrier ??= this.#arrivals;
    const { barrier } = entry;
    return this.#lines.some(({ entries: [head] }) => {
      return head !== undefined && !head.late && head.arrival <= barrier;
    });
  }
}
