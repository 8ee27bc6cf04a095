import { connect } from 'node:net';
import { systemClock } from '../../clock.js';
import { engineEnvironment } from '../host-environment.js';
import { type EngineAddress, engineAddress } from './engine-address.js';

const limitMs = 2_000;

/** Whether something listens where the engine should be: a look that costs nothing where there is none. */
export async function isEngineThere(): Promise<boolean> {
  let address: EngineAddress;
  try {
    address = engineAddress(engineEnvironment());
  } catch {
    return false;
  }
  return new Promise((resolve) => {
    const socket =
      'socketPath' in address
        ? connect(address.socketPath)
        : connect({ host: address.host, port: address.port });
    const done = (there: boolean) => {
      cancel();
      socket.destroy();
      resolve(there);
    };
    const cancel = systemClock.after(limitMs, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}
