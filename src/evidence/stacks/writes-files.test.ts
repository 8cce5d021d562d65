import { expect, test } from 'vitest'
import { scriptWritesFiles, writesFiles } from './writes-files.ts'

test.each([
  'eslint . --fix',
  'eslint --fix --ext .ts src',
  'biome check --write .',
  'biome check --apply src',
  'prettier --write .',
  'prettier -w src',
  'xo --fix',
  'ruff check --fix .',
  'ruff format . && ruff check .',
  'black src && flake8',
  'cargo fmt && cargo clippy',
  'gofmt -w .',
  'lint-staged',
])('%s changes files', (line) => expect(writesFiles(line)).toBe(true))

test.each([
  'eslint .',
  'eslint --fix-dry-run .',
  'eslint --no-fix .',
  'eslint --fix=false .',
  'biome check .',
  'prettier --check .',
  'tsc -w --noEmit',
  'ruff check . && ruff format --check .',
  'black --check . && isort --check-only .',
  'cargo fmt --check && cargo clippy',
  'node scripts/write-fix.mjs',
])('%s does not', (line) => expect(writesFiles(line)).toBe(false))

test('follows a script to those that it runs, and to its pre and post scripts', () => {
  const scripts = (named: Readonly<Record<string, string>>) => (name: string) => named[name]
  const chain = { lint: 'npm run lint:js && npm run lint:css', 'lint:css': 'stylelint --fix' }
  expect(scriptWritesFiles('lint', scripts(chain))).toBe(true)
  const sequence = { lint: 'run-s a b', a: 'eslint .', b: 'prettier --write .' }
  expect(scriptWritesFiles('lint', scripts(sequence))).toBe(true)
  expect(scriptWritesFiles('lint', scripts({ lint: 'eslint .', prelint: 'prettier -w .' }))).toBe(
    true,
  )
  const circle = { lint: 'npm run again', again: 'npm run lint' }
  expect(scriptWritesFiles('lint', scripts(circle))).toBe(false)
})
