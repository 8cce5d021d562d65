/**
 * Files in which some keys judge the work and the others are the work. The rest of such a file is free.
 *
 * Deliberately not sealed: `type`, `main`, `exports` and `bin` of package.json. They define the product, and the tests of
 * the base still use the names they know, so changing these can break a test but not subvert it. The same holds for
 * `imports`, unless they lead to files of the tests.
 */

import type { SealKind } from './sealed-change.ts'

export interface KeyRule {
  /** Dotted; a trailing `*` means each key separately. In INI files the first part is the section. */
  readonly key: string
  readonly kind: SealKind
  /** A list of strings may gain entries, or lose them. */
  readonly free?: 'more' | 'less'
  /** Sealed only if the value on the base matches this. */
  readonly onlyIf?: RegExp
  /** For `*`: new keys are free, unless this says that they affect an existing one. */
  readonly freshActs?: (name: string, base: ReadonlySet<string>) => boolean
}

export interface KeyedRule {
  readonly files: readonly string[]
  readonly format: 'json' | 'jsonc' | 'toml' | 'ini'
  readonly keys: readonly KeyRule[]
  /** Which of them act when they are new. Absent: all that are not in a new folder. */
  readonly freshFiles?: readonly string[]
}

const sealed =
  (kind: SealKind) =>
  (key: string): KeyRule => ({ key, kind })

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** npm runs them around other scripts, or during an install. */
const hooks = new Set(words('preinstall install postinstall prepare preprepare postprepare'))
const checkScripts = new Set(words('test lint build check typecheck verify ci'))

function scriptActs(name: string, base: ReadonlySet<string>): boolean {
  const around = /^(?:pre|post)(.+)$/.exec(name)?.[1]
  return hooks.has(name) || checkScripts.has(name) || (around !== undefined && base.has(around))
}

const strictness = words(`
  strict noImplicitAny strictNullChecks strictFunctionTypes strictBindCallApply
  strictPropertyInitialization strictBuiltinIteratorReturn noImplicitThis useUnknownInCatchVariables
  alwaysStrict noUnusedLocals noUnusedParameters exactOptionalPropertyTypes noImplicitReturns
  noFallthroughCasesInSwitch noUncheckedIndexedAccess noImplicitOverride
  noPropertyAccessFromIndexSignature noUncheckedSideEffectImports allowUnreachableCode allowUnusedLabels
  isolatedDeclarations erasableSyntaxOnly skipLibCheck skipDefaultLibCheck noCheck noEmitOnError checkJs
  allowJs types typeRoots paths baseUrl plugins
`)

/** Folders and names of test code. */
const testPaths =
  /[/"._-](?:tests?|__tests__|testing|spec|support|helpers?|fixtures?|mocks?|asserts?|checks?)[/"._-]/i

export const keyedRules: readonly KeyedRule[] = [
  {
    files: ['package.json'],
    format: 'json',
    keys: [
      { key: 'scripts.*', kind: 'script', freshActs: scriptActs },
      { key: 'imports.*', kind: 'test', freshActs: () => false, onlyIf: testPaths },
      { key: 'config.*', kind: 'script', freshActs: () => false },
      { key: 'workspaces', kind: 'configuration', free: 'more' },
      ...words(`
        jest vitest mocha ava tap nyc c8 jasmine karma eslintConfig eslintIgnore prettier stylelint xo
        standard semistandard babel wireit volta oxlint size-limit nx
      `).map(sealed('configuration')),
      ...words(`
        packageManager overrides resolutions pnpm bundleDependencies bundledDependencies
        dependencies.* devDependencies.* optionalDependencies.* peerDependencies.* dependenciesMeta
      `).map(sealed('dependencies')),
    ],
  },
  {
    files: ['{tsconfig,jsconfig}*.json', 'tsconfig/*.json'],
    freshFiles: ['{tsconfig,jsconfig}.json'],
    format: 'jsonc',
    keys: [
      { key: 'include', kind: 'configuration', free: 'more' },
      { key: 'files', kind: 'configuration', free: 'more' },
      { key: 'exclude', kind: 'configuration', free: 'less' },
      { key: 'references', kind: 'configuration' },
      { key: 'extends', kind: 'configuration' },
      ...strictness.map((key) => sealed('configuration')(`compilerOptions.${key}`)),
      sealed('configuration')('ts-node'),
      sealed('configuration')('vueCompilerOptions'),
    ],
  },
  {
    files: ['pyproject.toml'],
    format: 'toml',
    keys: [
      ...words(`
        tool.pytest tool.ruff tool.mypy tool.coverage tool.pyright tool.basedpyright tool.pylint
        tool.bandit tool.flake8 tool.black tool.isort tool.tox tool.nox tool.taskipy tool.poe tool.pdm.scripts
        tool.hatch.envs tool.vulture tool.ty build-system
      `).map(sealed('configuration')),
      ...words(`
        project.dependencies project.optional-dependencies project.requires-python dependency-groups
        tool.poetry.dependencies tool.poetry.group tool.poetry.dev-dependencies tool.uv
        tool.pdm.dev-dependencies
      `).map(sealed('dependencies')),
    ],
  },
  {
    files: ['setup.cfg'],
    format: 'ini',
    keys: [
      ...words(`
        tool:pytest pytest flake8 mypy pylint isort pycodestyle pydocstyle coverage:run coverage:report
        coverage:paths aliases bandit tox:tox testenv
      `).map(sealed('configuration')),
      ...words('options.extras_require').map(sealed('dependencies')),
    ],
  },
  {
    files: ['Cargo.toml'],
    format: 'toml',
    keys: [
      ...words(`
        profile test bench lints lib.test lib.doctest lib.harness lib.bench bin.test bin.harness
        workspace.lints workspace.exclude workspace.members workspace.default-members package.autotests
        package.autobenches package.build package.rust-version package.workspace package.metadata
      `).map(sealed('configuration')),
      ...words(`
        dependencies dev-dependencies build-dependencies target patch replace workspace.dependencies
      `).map(sealed('dependencies')),
    ],
  },
]
