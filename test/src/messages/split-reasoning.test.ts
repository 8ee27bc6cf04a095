import { describe, expect, it } from 'vitest';
import { splitReasoning } from '../../../src/messages/split-reasoning.js';
import { seededRandom } from '../../../src/random.js';

describe('splitReasoning', () => {
  it.each([
    ['think', '<think>plan</think>answer'],
    ['thinking', '<thinking>plan</thinking>\n\nanswer'],
    ['reasoning', '<reasoning>\nplan\n</reasoning>\nanswer'],
    ['thought', '  <thought>plan</thought> answer'],
    ['REASONING_SCRATCHPAD', '<REASONING_SCRATCHPAD>plan</REASONING_SCRATCHPAD>answer'],
    ['any case', '<Think>plan</THINK>answer'],
    ['a space in the tag', '<think >plan</think\n>answer'],
    ['mixed names', '<thinking>plan</think>answer'],
  ])('takes a block of %s out of the content', (_name, text) => {
    expect(splitReasoning(text)).toEqual({ content: 'answer', reasoning: 'plan' });
  });

  it.each([
    'plain answer',
    '  spaces stay  \n',
    'if a < b and c </d> e',
    'Use the <think> tag for thoughts.',
    'Write <think>...</think> around it.',
    'Close it with `</think>` then.',
    '```xml\n<think>example</think>\n```',
    'text\n~~~~\n<think>\n~~~\n</think>\n~~~~\n',
    '<thinker>no</thinker>',
  ])('leaves content alone: %j', (text) => {
    expect(splitReasoning(text)).toEqual({ content: text, reasoning: null });
  });

  it('takes a block that never ends to the end of the text', () => {
    expect(splitReasoning('before\n<think>cut off')).toEqual({
      content: 'before',
      reasoning: 'cut off',
    });
  });

  it('drops closing tags that close nothing', () => {
    expect(splitReasoning('answer</think>')).toEqual({ content: 'answer', reasoning: null });
    expect(splitReasoning('</think>\n\nanswer')).toEqual({ content: 'answer', reasoning: null });
    expect(splitReasoning('</think><think>plan</think>answer')).toEqual({
      content: 'answer',
      reasoning: 'plan',
    });
  });

  it('joins several blocks, next to each other and between paragraphs', () => {
    expect(splitReasoning('<think>a</think><think>b</think>one\n<think>c</think>\ntwo')).toEqual({
      content: 'one\n\ntwo',
      reasoning: 'a\n\nb\n\nc',
    });
  });

  it('reads an empty block as no reasoning', () => {
    expect(splitReasoning('<think>\n\n</think>\n\nanswer')).toEqual({
      content: 'answer',
      reasoning: null,
    });
  });

  it('knows a code fence that is open again after a block', () => {
    const text = '<think>```</think>\n```\n<think>literal</think>\n```\n<think>real</think>end';
    expect(splitReasoning(text)).toEqual({
      content: '```\n<think>literal</think>\n```\nend',
      reasoning: '```\n\nreal',
    });
  });

  it('does not take inline code of three backticks for a fence', () => {
    expect(splitReasoning('```a```\n<think>plan</think>')).toEqual({
      content: '```a```',
      reasoning: 'plan',
    });
  });

  it('finds nothing more in what it left as content', () => {
    const random = seededRandom(11);
    const parts = ['<think>', '</think>', '<reasoning>', '</thought>', '\n', 'word ', '```\n', ' '];
    for (let round = 0; round < 2000; round += 1) {
      const text = Array.from(
        { length: Math.floor(random() * 14) },
        () => parts[Math.floor(random() * parts.length)],
      ).join('');
      const { content } = splitReasoning(text);
      expect(splitReasoning(content).reasoning, JSON.stringify(text)).toBe(null);
    }
  });

  it.each([
    ['blocks that are closed by another name', '<think>a</thought>'],
    ['openers alone', '<think>'],
    ['closers alone', '</think>'],
    ['closers on lines', '</think>\n'],
    ['half tags', '<think '],
    ['white space', '   \t'],
    ['fences', '```\n<think>\n'],
  ])('takes linear time on 200,000 %s', (_what, part) => {
    expect(splitReasoning(part.repeat(200_000)).content.length).toBeGreaterThanOrEqual(0);
  });
});
