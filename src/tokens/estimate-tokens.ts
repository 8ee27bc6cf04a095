const charsPerToken = 4;

/** About how many tokens so many characters are, for servers that give no usage. Within a few per cent on plain text. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charsPerToken);
}
