/** What a sandbox, or the program that starts one, may know of the host's environment. */
const allowed = ['PATH', 'LANG', 'TZ', 'TERM'] as const;

/**
 * The variables of this process that say how to run programs here. An allow-list: keys and tokens never pass.
 */
export function hostEnvironment(): { readonly [name in (typeof allowed)[number]]?: string } {
  return Object.fromEntries(
    allowed
      .map((name) => [name, process.env[name]] as const)
      .filter(
        (entry): entry is readonly [(typeof allowed)[number], string] => entry[1] !== undefined,
      ),
  );
}

/** Where programs are on a common system. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
