export type { Format, FormatOptions } from './format.js';
export type { HermesTurn } from './hermes-turn.js';
export { formatNames, loadFormat } from './load-format.js';
export {
  type ParsedHermes,
  type ParsedHermesCall,
  type ParsedHermesResult,
  type ParsedHermesTurn,
  parseHermes,
} from './parse-hermes.js';
export { type ExportRequest, type ExportResult, writeExport } from './write-export.js';
