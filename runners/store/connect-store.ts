import type { MessagePort } from 'node:worker_threads';
import type { ReplyMessage } from './protocol.js';
import type { LaneStore, Outcome } from './run-store.js';
import { StoreChannel, storeGone } from './store-channel.js';

/** A worker's end of the channel that `RunStore.connect()` made in the main thread. */
export function connectStore(port: MessagePort): LaneStore {
  const channel = new StoreChannel(port);
  port.on('message', (message: ReplyMessage) => channel.receive(message));
  port.once('close', () => channel.end(storeGone()));
  // A listener keeps the thread alive; only an open request should.
  port.unref();
  return {
    journal: (rolloutId) => channel.call('journal', rolloutId),
    append: (rolloutId, lease, entry) =>
      channel.call('append', [rolloutId, lease, entry.sequence, entry.requestHash, entry.reply]),
    async clearJournal(rolloutId, lease) {
      await channel.call('clearJournal', { rolloutId, lease });
    },
    async commit(outcome) {
      const record = transferable(outcome.record);
      return await channel.call('commit', { ...outcome, record }, [record.buffer]);
    },
    close() {
      channel.end(storeGone());
      port.close();
    },
  };
}

/** The same bytes in a buffer of their own: one that is shared, such as Node's pool, cannot be given away. */
function transferable(record: Outcome['record']): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = record;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(record);
}
