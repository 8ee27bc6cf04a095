/**
 * Whether text holds a tag that means something in a Hermes turn. The format has no escape for one, so such
 * text cannot be told from markup by whoever reads the turn.
 */
export function holdsMarkup(text: string): boolean {
  return turnTags.test(text);
}

/** The same for the list of tools in the system turn. */
export function holdsToolsMarkup(text: string): boolean {
  return toolsTags.test(text);
}

const turnTags = /<\/?(?:think|tool_call|tool_response)>/;
const toolsTags = /<\/?tools>/;
