import { usageError } from '../src/errors.js';
import type { EnvironmentConfig } from './environment.js';

/** The path of an environment that needs one and takes no other option. Throws a usage error. */
export function requirePath({ kind, path, options }: EnvironmentConfig): string {
  const unknown = Object.keys(options)[0];
  if (unknown !== undefined) {
    throw usageError(
      `environment: \`kind: ${kind}\` has no option \`${unknown}\`. It takes kind, path and on_bad_row.`,
    );
  }
  if (path === null) {
    throw usageError(`environment: \`kind: ${kind}\` needs a \`path\`.`);
  }
  return path;
}
