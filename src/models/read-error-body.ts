import { isJsonObject, type JsonObject, parseJson } from '../json.js';

/** What an error answer states, whatever the server's way of writing it. */
export interface ErrorStatement {
  readonly message: string;
  readonly code: string | null;
  readonly type: string | null;
  /** A status that the error object carries itself, as gateways do inside a 200. */
  readonly status: number | null;
}

const longestText = 500;

/**
 * Reads an error answer: `{error: {...}}` (OpenAI and most), `{error: "text"}`, a bare error object (vLLM),
 * `{detail: ...}` (FastAPI), the wrapped error of a gateway (`metadata.raw`), or a page of HTML.
 */
export function readErrorBody(body: string): ErrorStatement {
  const parsed = parseJson(body);
  return parsed.ok ? readErrorValue(parsed.value) : plain(textOfPage(body));
}

/** The same for a body that was parsed already. */
export function readErrorValue(value: unknown): ErrorStatement {
  if (!isJsonObject(value)) {
    return plain(typeof value === 'string' ? value : '');
  }
  const error = value['error'];
  if (isJsonObject(error)) {
    return readErrorObject(error);
  }
  if (typeof error === 'string') {
    return plain(error);
  }
  return value['detail'] === undefined ? readErrorObject(value) : plain(detailOf(value['detail']));
}

function readErrorObject(error: JsonObject): ErrorStatement {
  const inner = wrappedError(error['metadata']);
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
function wrappedError(metadata: unknown): ErrorStatement | null {
  const raw = isJsonObject(metadata) ? metadata['raw'] : undefined;
  if (typeof raw === 'string') {
    return readErrorBody(raw);
  }
  return isJsonObject(raw) ? readErrorValue(raw) : null;
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
      const where = Array.isArray(entry['loc']) ? `${entry['loc'].join('.')}: ` : '';
      return `validation error for ${where}${textOf(entry['msg'])}`;
    })
    .join('; ');
}

function textOfPage(body: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1];
  return title ?? body.slice(0, 4 * longestText).replace(/<[^>]*>/g, ' ');
}

function plain(message: string): ErrorStatement {
  return { message: oneLine(message), code: null, type: null, status: null };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
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
