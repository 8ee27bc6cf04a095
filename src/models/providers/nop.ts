import type { ModelProvider } from '../model-provider.js';
import { offlineReply } from '../offline-reply.js';

/** Does nothing: the lowest score that an environment can give, and a test of everything around the model. */
export const nop: ModelProvider = {
  name: 'nop',
  description: 'answers at once and does nothing',
  offline: true,
  async open(config) {
    return {
      forRollout: () => ({
        name: config.use,
        generate: async (_request, signal) =>
          offlineReply('nop', { content: 'I did nothing.' }, signal),
      }),
      close: async () => {},
    };
  },
};
