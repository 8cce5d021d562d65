import { expect, test } from 'vitest'
import { defined } from '../../loop/index.ts'
import { createMemoryTrees } from '../../testing/memory-trees.ts'
import { proposeChecks } from './propose-checks.ts'

type Files = { readonly [path: string]: string }

async function propose(files: Files, manager?: string): Promise<Readonly<Record<string, string>>> {
  const trees = createMemoryTrees()
  const { checks } = await proposeChecks(trees, trees.put(files), defined({ manager }))
  return Object.fromEntries(checks.map(({ name, command }) => [name, command]))
}

const manifest = (scripts: object, rest: object = {}): string =>
  JSON.stringify({ scripts, ...rest })
const typescript = { devDependencies: { typescript: '5.9.3' } }

test.each<readonly [string, Files, Readonly<Record<string, string>>]>([
  [
    'scripts of package.json',
    { 'package.json': manifest({ test: 'jest', lint: 'eslint .', typecheck: 'tsc --noEmit' }) },
    { test: 'npm test', types: 'npm run typecheck', lint: 'npm run lint' },
  ],
  [
    'a linter that writes files is not proposed',
    { 'package.json': manifest({ test: 'jest', lint: 'eslint --fix .' }) },
    { test: 'npm test' },
  ],
  [
    'TypeScript without a script for it',
    { 'package.json': manifest({ test: 'vitest run' }, typescript), 'tsconfig.json': '{}' },
    { test: 'npm test', types: 'npx --no-install tsc --noEmit' },
  ],
  [
    'tests without a script, pnpm',
    { 'package.json': '{}', 'pnpm-lock.yaml': '', 'sum.test.js': '' },
    { test: 'node --test' },
  ],
  [
    'Python with pytest, mypy and ruff',
    { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.mypy]\nstrict = true\n[tool.ruff]\n' },
    { test: 'python3 -m pytest', types: 'python3 -m mypy .', lint: 'ruff check .' },
  ],
  [
    'Python with unittest',
    { 'setup.py': '', 'test_a.py': '' },
    { test: 'python3 -m unittest discover' },
  ],
  [
    'Go',
    { 'go.mod': '', 'a_test.go': '' },
    { test: 'go test -count=1 -v ./...', lint: 'go vet ./...' },
  ],
  ['Rust', { 'Cargo.toml': '', 'Cargo.lock': '' }, { test: 'cargo test --offline --locked' }],
  ['Maven', { 'pom.xml': '', 'src/test/java/A.java': '' }, { test: 'mvn -o -B test' }],
  [
    'Gradle',
    { 'build.gradle': '', gradlew: '', 'src/test/java/A.java': '' },
    { test: './gradlew --offline --no-daemon test --rerun-tasks' },
  ],
  [
    'a Makefile',
    { Makefile: 'VERSION := 1\ntest: build\n\t./run-tests\nlint:\n\tshellcheck *.sh\n' },
    { test: 'make test', lint: 'make lint' },
  ],
  [
    'a Makefile whose linter writes files',
    { Makefile: 'check:\n\t./run-tests\nlint:\n\tblack .\n' },
    { test: 'make check' },
  ],
  ['a justfile', { justfile: 'test *args:\n  cargo nextest run\n' }, { test: 'just test' }],
  [
    'projects in folders',
    {
      'web/package.json': manifest({ test: 'jest' }),
      'api/pyproject.toml': '[tool.pytest.ini_options]',
    },
    { 'test-api': 'cd api && python3 -m pytest', 'test-web': 'cd web && npm test' },
  ],
  [
    'two languages in one folder',
    { 'package.json': manifest({ test: 'jest' }), 'pyproject.toml': '[tool.pytest]' },
    { test: 'npm test', 'test-2': 'python3 -m pytest' },
  ],
  ['nothing', { 'notes.txt': '' }, {}],
])('%s', async (_what, files, checks) => {
  expect(await propose(files)).toEqual(checks)
})

test('runs a package of a workspace with the manager of the workspace', async () => {
  const files = { 'package.json': manifest({ test: 'jest', lint: 'eslint .' }) }
  expect(await propose(files, 'pnpm')).toEqual({ test: 'pnpm run test', lint: 'pnpm run lint' })
})
