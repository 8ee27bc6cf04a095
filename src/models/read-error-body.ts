import { isJsonObject, type JsonObject, parseJson } from '../json.js';
import { isNestedDeeper, maxNesting } from '../nesting.js';

/** What an error answer states, whatever the server's way of writing it. */
export interface ErrorStatement {
  readonly message: string;
  readonly code: string | null;
  readonly type: string | null;
  /** A status that the error object carries itself, as gateways do inside a 200. */
  readonly status: number | null;
}

const longestText = 500;
/** Where the title of a page is looked for: the search may take the square of it. */
const longestHead = 20_000;
/** Errors inside the error of a gateway that are looked at. */
const mostWrappers = 4;

/**
 * Reads an error answer: `{error: {...}}` (OpenAI and most), `{error: "text"}`, a bare error object (vLLM),
 * `{detail: ...}` (FastAPI), the wrapped error of a gateway (`metadata.raw`), or a page of HTML.
 */
export function readErrorBody(body: string, wrappers = mostWrappers): ErrorStatement {
  const parsed = parseJson(body);
  return parsed.ok ? readErrorValue(parsed.value, wrappers) : plain(textOfPage(body));
}

/** The same for a body that was parsed already. */
export function readErrorValue(value: unknown, wrappers = mostWrappers): ErrorStatement {
  if (!isJsonObject(value)) {
    return plain(typeof value === 'string' ? value : '');
  }
  const error = value['error'];
  if (isJsonObject(error)) {
    return readErrorObject(error, wrappers);
  }
  if (typeof error === 'string') {
    return plain(error);
  }
  return value['detail'] === undefined
    ? readErrorObject(value, wrappers)
    : plain(detailOf(value['detail']));
}

function readErrorObject(error: JsonObject, wrappers: number): ErrorStatement {
  const inner = wrappers === 0 ? null : wrappedError(error['metadata'], wrappers - 1);
  const message = [textOf(error['message']), inner?.message ?? '']
    .filter((text) => text !== '')
    .join(': ');
  return {
    message: oneLine(message),
    code: wordOf(error['code']) ?? inner?.code ?? null,
    type: wordOf(error['type']) ?? inner?.type ?? null,
    status: statusOf(error['code']) ?? statusOf(error['status']) ?? inner?.status ?? null,
  };
}

/** A gateway hands the provider's own answer on as text, or as an object. */
function wrappedError(metadata: unknown, wrappers: number): ErrorStatement | null {
  const raw = isJsonObject(metadata) ? metadata['raw'] : undefined;
  if (typeof raw === 'string') {
    return readErrorBody(raw, wrappers);
  }
  return isJsonObject(raw) ? readErrorValue(raw, wrappers) : null;
}

function detailOf(detail: unknown): string {
  if (!Array.isArray(detail)) {
    return textOf(detail);
  }
  return detail
    .map((entry: unknown) => {
      if (!isJsonObject(entry)) {
        return textOf(entry);
      }
      const where = Array.isArray(entry['loc']) ? entry['loc'].map(textOf).join('.') : '';
      return `validation error for ${where === '' ? '' : `${where}: `}${textOf(entry['msg'])}`;
    })
    .join('; ');
}

function textOfPage(body: string): string {
  const start = body.slice(0, longestHead);
  const title = /<title[^>]*>([^<]*)</i.exec(start)?.[1];
  return title ?? start.slice(0, 4 * longestText).replace(/<[^>]*>/g, ' ');
}

function plain(message: string): ErrorStatement {
  return { message: oneLine(message), code: null, type: null, status: null };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  if (typeof value === 'string') {
    return value;
  }
  return isNestedDeeper(value, maxNesting) ? '' : JSON.stringify(value);
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function statusOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 400 && number < 600 ? number : null;
}

function oneLine(text: string): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText).toWellFormed()}...` : line;
}
