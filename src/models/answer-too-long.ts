/** An answer that goes on beyond what any reply needs: it would fill the memory of the worker and end all its rollouts. */
export class AnswerTooLong extends Error {
  readonly code = 'ANSWER_TOO_LONG';

  constructor(maxBytes: number) {
    super(`an answer of more than ${Math.round(maxBytes / 2 ** 20)} MB`);
    this.name = 'AnswerTooLong';
  }
}
