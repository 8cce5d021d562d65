/**
 * The output of a program as people and models should read it: without colors, cursor movements, titles,
 * links and overwritten progress lines. Newlines and tabs are the only control characters that remain.
 *
 * For the output of tools, not for the content of files: a reviewer must see what is in a file. Accepts
 * any text, in linear time: no character class in a sequence contains the character that starts one.
 */

/** CSI, then strings (OSC, DCS, SOS, PM, APC) with their end, then other escapes, then incomplete ones. */
const sequences = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|\\u009c|\\u001b\\\\)',
    '\\u001b[ -/]*[0-Z\\\\^-~]',
    '\\u001b[[\\]]?',
  ].join('|'),
  'g',
)

/** Characters that are removed. Joiners stay: scripts and emoji need them. */
const removed = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/u
const removedAll = new RegExp(removed, 'gu')

export function plainOutput(text: string): string {
  if (!removed.test(text)) return text
  const plain = text.replaceAll(sequences, '').replaceAll(/\r+\n/g, '\n')
  const lines = plain.includes('\r') ? plain.split('\n').map(finalContent).join('\n') : plain
  return lines.replaceAll(removedAll, '')
}

/** The final content of a line that was overwritten. */
function finalContent(line: string): string {
  if (!line.includes('\r')) return line
  return line.split('\r').findLast((part) => part.trim() !== '') ?? ''
}
