import type { Setting } from './setting.js';
import { variablesIn } from './substitute-variables.js';

/** Whether a setting's value came from an environment variable whose name says that it is secret. */
export function holdsSecret(setting: Setting): boolean {
  return (
    setting.raw !== undefined &&
    variablesIn(JSON.stringify(setting.raw)).some((name) =>
      /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i.test(name),
    )
  );
}

/** An address without the user name and password that it may hold. */
export function withoutCredentials(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.username === '' && url.password === '')) {
    return address;
  }
  url.username = '';
  url.password = '';
  return url.href;
}
