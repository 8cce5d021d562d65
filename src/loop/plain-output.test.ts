import { expect, test } from 'vitest'
import { LoopError } from './errors.ts'
import { FaultError, toFault } from './fault.ts'
import { plainOutput } from './plain-output.ts'

test.each([
  ['colors', '\u001b[31mred\u001b[39m \u001b[38;5;12mblue\u001b[0m', 'red blue'],
  ['cursor movements', '\u001b[2K\u001b[1Gdone\u001b[?25h', 'done'],
  ['a title', '\u001b]0;building\u0007built', 'built'],
  ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a title that does not end', '\u001b]0;building\nnext', '0;building\nnext'],
  ['eight-bit sequences', '\u009b31mred\u009b0m', 'red'],
  ['other escapes', '\u001b(B\u001b7a\u001b8\u001bc', 'a'],
  ['a lone escape', 'a\u001b', 'a'],
  ['a cut sequence', 'a\u001b[3', 'a3'],
  ['progress', '10%\r50%\r100%\nnext', '100%\nnext'],
  ['a cleared progress line', 'done\r    \r\nnext', 'done\nnext'],
  ['Windows line endings', 'a\r\nb\r\r\n', 'a\nb\n'],
  ['bells, backspaces, zeros', 'a\u0007b\u0008c\u0000d', 'abcd'],
  ['bidirectional text', 'a\u202eb\u2066c', 'abc'],
  ['tabs, newlines, joined emoji', '\ta\n👩‍💻', '\ta\n👩‍💻'],
  ['brackets that are text', '[31m] a[0] ]0;', '[31m] a[0] ]0;'],
])('%s', (_, text, plain) => {
  expect(plainOutput(text)).toBe(plain)
})

test('messages of errors and faults are plain text, even if they quote output', () => {
  const message = 'npm said: \u001b[31mERR!\u001b[0m\nno such version'
  const plain = 'npm said: ERR!\nno such version'
  expect(new LoopError('workspace-failed', message).message).toBe(plain)
  expect(new FaultError({ code: 'x', message, retryable: false }).fault.message).toBe(plain)
  expect(toFault(new Error(message)).message).toBe(plain)
})
