import { expect, test } from 'vitest'
import { createNormalizer } from './normalize-request.ts'

const same = createNormalizer({
  folders: ['/home/ada/work', '/var/lib/loopd/replays/1', '/home/ada/"odd"'],
  branches: ['run/mend.it', 'replay/run/mend.it'],
  run: 'mend it (2)',
})

const pairs: readonly (readonly [string, string, string])[] = [
  ['folders', 'in /home/ada/work/src/a.ts', 'in /var/lib/loopd/replays/1/src/a.ts'],
  ['folders in JSON', JSON.stringify('/home/ada/"odd"/a'), JSON.stringify('/home/ada/work/a')],
  ['the time that is left', 'You have 7 h 59 min.', 'You have 12 min.'],
  ['a time in seconds', 'You have 40 s left', 'You have 7 s left'],
  [
    'modes and sizes of folders',
    String.raw`total 8\ndrwxr-xr-x  2 a a 4096 <date> .\n-rw-rw-r-- 1 a a 12 <date> a.ts`,
    String.raw`total 16\ndrwx------ 13 a a  140 <date> .\n-rw-r--r-- 2 a a 12 <date> a.ts`,
  ],
  ['branches', 'On branch run/mend.it', 'On branch replay/run/mend.it'],
  [
    'ids of commits of the run, a line each',
    String.raw`1a2b3c4 (HEAD -> run/mend.it) mend it (2): iteration 2\n0a0b0c0d mend it (2): iteration 1\nfeed123 base`,
    String.raw`9a9b3c4d (HEAD -> replay/run/mend.it) mend it (2): iteration 2\n1a0b0c0 mend it (2): iteration 1\nfeed123 base`,
  ],
  [
    'ids of calls',
    '{"id":"J8Ehm3brwg0jHdq7","x":1},{"tool_call_id":"J8Ehm3brwg0jHdq7"}',
    '{"id":"uudWRvSER7MsZ9zP","x":1},{"tool_call_id":"uudWRvSER7MsZ9zP"}',
  ],
]

test.each(pairs)('%s are the same in both runs', (_what, one, other) => {
  expect(same(one)).toBe(same(other))
})

const others: readonly (readonly [string, string, string])[] = [
  ['another branch', 'On branch run/mend_it', 'On branch replay/run/mend.it'],
  ['a foreign commit', '1a2b3c4 mend it: iteration 1', '1a2b3c5 mend it: iteration 1'],
  ['another iteration', '1a2b3c4 mend it (2): iteration 1', '1a2b3c4 mend it (2): iteration 2'],
  ['another file', 'in /home/ada/work/a', 'in /home/ada/work/b'],
  ['a file that can be run', '-rwxr-xr-x 1 a a 12 x', '-rw-r--r-- 1 a a 12 x'],
  ['a file of another size', '-rw-r--r-- 1 a a 13 x', '-rw-r--r-- 1 a a 12 x'],
  ['another folder', 'in /home/bob/work', 'in /home/ada/work'],
  ['a number of minutes in a word', '12 minutes of fame', '13 minutes of fame'],
  [
    'a result of another call',
    '{"id":"aaaaaaaaaa"},{"id":"bbbbbbbbbb"},{"call_id":"aaaaaaaaaa"}',
    '{"id":"aaaaaaaaaa"},{"id":"bbbbbbbbbb"},{"call_id":"bbbbbbbbbb"}',
  ],
]

test.each(others)('%s is not', (_what, one, other) => {
  expect(same(one)).not.toBe(same(other))
})
