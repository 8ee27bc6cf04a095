import type { ToolsetConfig } from '../../environments/rollout-config.js';
import { sha256 } from '../../src/hash.js';
import { canonicalJson, type Json } from '../../src/json.js';
import { options } from './option-table.js';
import type { OptionValues } from './option-values.js';
import { holdsSecret } from './secrets.js';
import type { Setting } from './setting.js';

/**
 * The options that make a run what it is, as canonical JSON by key: a resume refuses a change of any of them. A
 * distribution counts by its content, so that a renamed or moved file is no change; a value that holds a secret
 * counts by its hash.
 */
export function identityOf(
  values: OptionValues,
  settings: ReadonlyMap<string, Setting>,
  toolsets: ToolsetConfig,
): { readonly [key: string]: string } {
  const identity: Record<string, string> = {};
  for (const option of options) {
    if (option.identity) {
      const value =
        option.key === 'toolsets.distribution'
          ? (toolsets.distribution?.toolsets ?? null)
          : (values.get(option) ?? null);
      const text = canonicalJson(value as Json);
      const setting = settings.get(option.key);
      identity[option.key] =
        setting !== undefined && holdsSecret(setting) ? `"sha256:${sha256(text)}"` : text;
    }
  }
  return identity;
}
