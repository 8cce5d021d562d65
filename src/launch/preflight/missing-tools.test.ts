import { expect, test } from 'vitest'
import { missingTools } from './missing-tools.ts'

const place = { workspace: '/nowhere', path: '/usr/bin:/bin', hasPackages: false }

test.each([
  ['sh -c true', []],
  ['cd src && env A=1 sh run.sh | cat', []],
  ['A=1 no-such-tool --run', ['no-such-tool']],
  ['true; no-such-tool && other-such-tool || sh x', ['no-such-tool', 'other-such-tool']],
  ['$(which node) test.js', []],
  ['./build/run-tests', []],
  ['/no/such/program', ['/no/such/program']],
  ['"quoted tool" x', []],
  ['for a in 1 2; do test $a; done; if true; then sh x; else sh y; fi', []],
  ['printf "a; other-such-tool b"', []],
])('%s', (line, missing) => {
  expect(missingTools(line, place)).toEqual(missing)
})

test('packages may provide a program, but not a toolchain', () => {
  const withPackages = { ...place, path: '', hasPackages: true }
  expect(missingTools('vitest run && gradle test', withPackages)).toEqual(['gradle'])
})
