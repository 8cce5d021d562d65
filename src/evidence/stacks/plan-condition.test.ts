import { describe, expect, test } from 'vitest'
import { createMemoryTrees } from '../../testing/memory-trees.ts'
import { lockfiles } from './lockfiles.ts'
import { type ConditionPlan, networkAdvice, planCondition } from './plan-condition.ts'
import { type ConditionName, conditionNames, detectStacks, isConditionName } from './stack.ts'

type Files = { readonly [path: string]: string }

function plan(files: Files, condition: ConditionName): Promise<ConditionPlan> {
  const trees = createMemoryTrees()
  return planCondition(trees, trees.put(files), condition)
}

const lines = ({ commands }: ConditionPlan): readonly string[] =>
  commands.map(({ argv, network }) => `${argv.join(' ')}${network ? ' (network)' : ''}`)

const manifest = (scripts: object, rest: object = {}): string =>
  JSON.stringify({ scripts, ...rest })
const tests = 'all_tests_pass'
const build = 'build_succeeds'
const lint = 'linting_clean'
const scan = 'security_scan_clean'
const placeholder = 'echo "Error: no test specified" && exit 1'
const full = manifest({ test: 'vitest run', build: 'tsc', lint: 'eslint .' })

describe('the command for a condition', () => {
  test.each<readonly [string, ConditionName, Files, string]>([
    ['node', tests, { 'package.json': full }, 'npm run test'],
    ['node with pnpm', tests, { 'package.json': full, 'pnpm-lock.yaml': '' }, 'pnpm run test'],
    [
      'node with the placeholder of npm init',
      tests,
      { 'package.json': manifest({ test: placeholder }), 'a.test.js': '' },
      'node --test',
    ],
    ['node', build, { 'package.json': full }, 'npm run build'],
    ['node', build, { 'package.json': '{}', 'tsconfig.json': '{}' }, 'npx --no-install tsc -b'],
    ['node', lint, { 'package.json': full }, 'npm run lint'],
    ['node', lint, { 'package.json': '{}', 'biome.json': '{}' }, 'npx --no-install biome check .'],
    [
      'node with a script that writes files, and one that does not',
      lint,
      { 'package.json': manifest({ lint: 'eslint --fix .', 'lint:check': 'eslint .' }) },
      'npm run lint:check',
    ],
    [
      'node with a script that writes files, and a configured linter',
      lint,
      { 'package.json': manifest({ lint: 'biome check --write .' }), 'biome.json': '{}' },
      'npx --no-install biome check .',
    ],
    [
      'node with the manager that package.json sets',
      tests,
      { 'package.json': manifest({ test: 'vitest run' }, { packageManager: 'pnpm@9.1.0' }) },
      'pnpm run test',
    ],
    ['node', lint, { 'package.json': '{}', 'eslint.config.js': '' }, 'npx --no-install eslint .'],
    [
      'node',
      lint,
      { 'package.json': manifest({}, { devDependencies: { xo: '1' } }) },
      'npx --no-install xo',
    ],
    [
      'node',
      scan,
      { 'package.json': '{}', 'package-lock.json': '{}' },
      'npm audit --audit-level=high (network)',
    ],
    ['node', scan, { 'package.json': manifest({ security: 'semgrep' }) }, 'npm run security'],
    ['python', tests, { 'pyproject.toml': '[tool.pytest.ini_options]' }, 'python3 -m pytest'],
    ['python', tests, { 'setup.py': '', 'test_a.py': '' }, 'python3 -m unittest discover'],
    [
      'python',
      build,
      { 'pyproject.toml': '[project]\nname = "x"' },
      'python3 -m build --no-isolation',
    ],
    ['python', lint, { 'pyproject.toml': '' }, 'ruff check .'],
    ['python', lint, { 'setup.cfg': '[flake8]\n' }, 'python3 -m flake8'],
    ['python', scan, { 'pyproject.toml': '' }, 'bandit -q -r . --severity-level high'],
    ['rust', tests, { 'Cargo.toml': '', 'Cargo.lock': '' }, 'cargo test --offline --locked'],
    ['rust', build, { 'Cargo.toml': '' }, 'cargo build --offline --all-targets'],
    ['rust', lint, { 'Cargo.toml': '' }, 'cargo clippy --offline --all-targets -- -D warnings'],
    ['rust', scan, { 'Cargo.toml': '', 'Cargo.lock': '' }, 'cargo audit (network)'],
    ['go', tests, { 'go.mod': '', 'a_test.go': '' }, 'go test -count=1 -v ./...'],
    ['go', build, { 'go.mod': '' }, 'go build ./...'],
    ['go', lint, { 'go.mod': '' }, 'go vet ./...'],
    ['go', lint, { 'go.mod': '', '.golangci.yml': '' }, 'golangci-lint run'],
    ['go', scan, { 'go.mod': '' }, 'govulncheck ./... (network)'],
    ['maven', tests, { 'pom.xml': '', 'src/test/java/A.java': '' }, 'mvn -o -B test'],
    ['maven', build, { 'pom.xml': '', mvnw: '' }, './mvnw -o -B -DskipTests package'],
    ['maven', lint, { 'pom.xml': 'maven-checkstyle-plugin' }, 'mvn -o -B checkstyle:check'],
    [
      'gradle',
      tests,
      { 'build.gradle.kts': '', gradlew: '', 'src/test/kotlin/A.kt': '' },
      './gradlew --offline --no-daemon test --rerun-tasks',
    ],
    ['gradle', build, { 'build.gradle': '' }, 'gradle --offline --no-daemon assemble'],
  ])('%s, %s', async (_stack, condition, files, expected) => {
    const found = await plan(files, condition)
    expect(lines(found)).toEqual([expected])
    expect(found.problem).toBeUndefined()
  })

  test('a tree with two stacks runs one command for each', async () => {
    const found = await plan({ 'package.json': full, 'go.mod': '', 'a_test.go': '' }, tests)
    expect(lines(found)).toEqual(['npm run test', 'go test -count=1 -v ./...'])
  })

  test('reports a stack without a command, and runs the others', async () => {
    const found = await plan({ 'package.json': full, 'go.mod': '' }, tests)
    expect(lines(found)).toEqual(['npm run test'])
    expect(found.skipped).toEqual(['go.mod: there are no files *_test.go'])
  })

  test('detects stacks in folders if the root has none', async () => {
    const trees = createMemoryTrees()
    const files = { 'web/package.json': full, 'api/go.mod': '', 'examples/a/package.json': full }
    const stacks = await detectStacks(trees, trees.put(files))
    expect(stacks.map(({ name, folder }) => `${name} ${folder}`)).toEqual(['go api/', 'node web/'])
  })

  test('names the program of the tree that a command runs, so that it is sealed', async () => {
    const found = await plan({ 'pom.xml': '', mvnw: '' }, build)
    expect(found.commands[0]?.names).toEqual(['mvnw'])
  })
})

describe('a condition without a command', () => {
  test.each<readonly [ConditionName, Files]>([
    [tests, { 'package.json': manifest({ test: placeholder }) }],
    [tests, { 'package.json': 'no json' }],
    [build, { 'package.json': '{}' }],
    [lint, { 'package.json': '{}' }],
    [scan, { 'package.json': '{}' }],
    [tests, { 'go.mod': '' }],
    [lint, { 'pom.xml': '' }],
    [tests, { 'README.md': '' }],
  ])('%s in %j reports why and what to write', async (condition, files) => {
    const found = await plan(files, condition)
    expect(found.commands).toEqual([])
    expect(found.problem).toContain(condition)
    expect(found.problem).toMatch(/Remove it, or define the check yourself: checks: \{/)
  })

  test('a scan that needs the network comes with advice', async () => {
    const { commands } = await plan({ 'package.json': '{}', 'package-lock.json': '' }, scan)
    const [command] = commands
    expect(command === undefined ? '' : networkAdvice(scan, command)).toMatch(
      /npm audit.*no network.*offline/,
    )
  })
})

test('knows the names of conditions', () => {
  expect(conditionNames).toHaveLength(4)
  expect(isConditionName('all_tests_pass')).toBe(true)
  expect(isConditionName('toString')).toBe(false)
})

test('no install runs programs of packages, and each lockfile is listed once', () => {
  expect(new Set(lockfiles.map(({ file }) => file)).size).toBe(lockfiles.length)
  const node = lockfiles.filter(({ stack }) => stack === 'node')
  expect(node.every(({ install }) => install.includes('--ignore-scripts'))).toBe(true)
})
