/**
 * What a program printed, as people and models read it: without colours, cursor movements, titles, links
 * and overwritten progress lines. Newlines and tabs are the only control characters left.
 *
 * For output of tools, not for contents of files: a reviewer must see what is in a file. Takes any
 * text, in linear time: no class in a sequence contains the character that begins one.
 */

/** CSI, then strings (OSC, DCS, SOS, PM, APC) with their end, then other escapes, then their beginnings. */
const sequences = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|\\u009c|\\u001b\\\\)',
    '\\u001b[ -/]*[0-Z\\\\^-~]',
    '\\u001b[[\\]]?',
  ].join('|'),
  'g',
)

/** Anything that this file removes. Joiners stay: scripts and emoji need them. */
const removed = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/u
const removedAll = new RegExp(removed, 'gu')

export function plainOutput(text: string): string {
  if (!removed.test(text)) return text
  const plain = text.replaceAll(sequences, '').replaceAll(/\r+\n/g, '\n')
  const lines = plain.includes('\r') ? plain.split('\n').map(lastPainted).join('\n') : plain
  return lines.replaceAll(removedAll, '')
}

/** The final content of a line that was overwritten. */
function lastPainted(line: string): string {
  if (!line.includes('\r')) return line
  return line.split('\r').findLast((part) => part.trim() !== '') ?? ''
}
