import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addCheckOption, type GivenChecks, namedChecks } from './check-option.ts'

const checksOf = (...checks: string[]): Promise<Readonly<Record<string, string>>> => {
  const command = addCheckOption(new Command().exitOverride(), 'a check')
  command.configureOutput({ writeErr: () => undefined }).parse(
    checks.flatMap((check) => ['--check', check]),
    { from: 'user' },
  )
  return namedChecks(command.opts<{ check: GivenChecks }>().check)
}

test('a command without a name is named after what it does', async () => {
  expect(await checksOf('npm test')).toEqual({ test: 'npm test' })
  expect(
    await checksOf(
      'npx vitest run',
      'npm run lint',
      'npx tsc --noEmit',
      'unit=npm test',
      './verify.sh',
      'pytest',
    ),
  ).toEqual({
    test: 'npx vitest run',
    lint: 'npm run lint',
    types: 'npx tsc --noEmit',
    unit: 'npm test',
    check: './verify.sh',
    'test-2': 'pytest',
  })
})

test('a command without a name does not get a name that is already taken', async () => {
  expect(await checksOf('npm test', 'test=node --test')).toEqual({
    'test-2': 'npm test',
    test: 'node --test',
  })
})

test('a variable assignment before a command is not a name', async () => {
  expect(await checksOf('CI=1 npm test')).toEqual({ test: 'CI=1 npm test' })
})

test.each([
  ['', ''],
  ['test=', ''],
  ['test=a', 'test=b'],
])('%j %j is refused', (one, other) => {
  expect(() => checksOf(one, other)).toThrow(/command|two named/)
})
