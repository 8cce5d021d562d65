/**
 * The four standard conditions for each stack. The first matching choice of a condition is run; all of them use the
 * dependency layer or the machine, and none installs anything. A scan that has to query a database of advisories is marked:
 * without a response it is not a scan, so there is no offline variant that could be met.
 */

import type { Project } from './project.ts'
import type { ConditionName, StackName } from './stack.ts'
import { scriptWritesFiles } from './writes-files.ts'

export interface Choice {
  readonly when: (project: Project) => boolean
  readonly argv: (project: Project) => readonly string[]
  /** It queries a registry or a database of advisories. */
  readonly network?: true
}

export interface ConditionRow {
  readonly choices: readonly Choice[]
  /** If none matches: why, and what is missing. */
  readonly absent: string
}

const always = (): boolean => true
const run =
  (...argv: readonly string[]) =>
  (): readonly string[] =>
    argv

/** `npx` without installing missing packages. */
const installed = (...argv: readonly string[]): Choice['argv'] =>
  run('npx', '--no-install', ...argv)

const script = (name: string): Choice => ({
  when: (project) => project.script(name) !== undefined,
  argv: ({ manager }) => [manager, 'run', name],
})

/** A script that only reports. One that changes files, as with `--fix`, is skipped. */
const readingScript = (name: string): Choice => ({
  ...script(name),
  when: (project) => project.script(name) !== undefined && !scriptWritesFiles(name, project.script),
})

const node: Readonly<Record<ConditionName, ConditionRow>> = {
  all_tests_pass: {
    choices: [
      script('test'),
      {
        when: ({ hasAny }) => hasAny(/\.(?:test|spec)\.[cm]?js$|(?:^|\/)test\/.*\.[cm]?js$/),
        argv: run('node', '--test'),
      },
    ],
    absent: 'package.json has no scripts.test, and there are no tests that node --test would find',
  },
  build_succeeds: {
    choices: [
      script('build'),
      { when: ({ has }) => has('tsconfig.json'), argv: installed('tsc', '-b') },
    ],
    absent: 'package.json has no scripts.build, and there is no tsconfig.json, so nothing is built',
  },
  linting_clean: {
    choices: [
      readingScript('lint'),
      readingScript('lint:check'),
      readingScript('lint:ci'),
      readingScript('check:lint'),
      {
        when: ({ has }) => has('biome.json', 'biome.jsonc'),
        argv: installed('biome', 'check', '.'),
      },
      {
        when: ({ hasAny, script: line }) =>
          hasAny(/^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/) ||
          line('eslint') !== undefined,
        argv: installed('eslint', '.'),
      },
      { when: ({ has }) => has('.oxlintrc.json'), argv: installed('oxlint', '--deny-warnings') },
      { when: ({ depends }) => depends('xo'), argv: installed('xo') },
      { when: ({ depends }) => depends('standard'), argv: installed('standard') },
    ],
    absent:
      'package.json has no scripts.lint that only reports (without --fix or --write), and no linter is configured',
  },
  security_scan_clean: {
    choices: [
      script('audit'),
      script('security'),
      {
        when: ({ has }) => has('package-lock.json', 'npm-shrinkwrap.json'),
        argv: run('npm', 'audit', '--audit-level=high'),
        network: true,
      },
      {
        when: ({ has }) => has('pnpm-lock.yaml'),
        argv: run('pnpm', 'audit', '--audit-level', 'high'),
        network: true,
      },
      {
        when: ({ has }) => has('yarn.lock'),
        argv: ({ has }) =>
          has('.yarnrc.yml')
            ? ['yarn', 'npm', 'audit', '--severity', 'high']
            : ['yarn', 'audit', '--level', 'high'],
        network: true,
      },
    ],
    absent: 'there is no lockfile whose packages could be looked up, and no scripts.security',
  },
}

const usesPytest = ({ texts, hasAny }: Project): boolean =>
  /\bpytest\b/.test(texts) || hasAny(/(?:^|\/)(?:conftest\.py|pytest\.ini|pytest\.toml)$/)

const python: Readonly<Record<ConditionName, ConditionRow>> = {
  all_tests_pass: {
    choices: [
      { when: usesPytest, argv: run('python3', '-m', 'pytest') },
      {
        when: ({ hasAny }) => hasAny(/(?:^|\/)test[^/]*\.py$/),
        argv: run('python3', '-m', 'unittest', 'discover'),
      },
      {
        when: ({ hasAny }) => hasAny(/_test\.py$|(?:^|\/)tests?\/.*\.py$/),
        argv: run('python3', '-m', 'pytest'),
      },
    ],
    absent: 'nothing mentions pytest, and there are no files test*.py',
  },
  build_succeeds: {
    choices: [
      {
        when: ({ has, texts }) => has('setup.py') || /^\[(?:build-system|project)\]/m.test(texts),
        argv: run('python3', '-m', 'build', '--no-isolation'),
      },
    ],
    absent: 'pyproject.toml has no [build-system] or [project], and there is no setup.py',
  },
  linting_clean: {
    choices: [
      {
        when: ({ has, texts }) =>
          has('.flake8') || (/^\[flake8\]/m.test(texts) && !/\bruff\b/.test(texts)),
        argv: run('python3', '-m', 'flake8'),
      },
      { when: always, argv: run('ruff', 'check', '.') },
    ],
    absent: '',
  },
  security_scan_clean: {
    choices: [{ when: always, argv: run('bandit', '-q', '-r', '.', '--severity-level', 'high') }],
    absent: '',
  },
}

const cargo =
  (...args: readonly string[]): Choice['argv'] =>
  ({ has }) => {
    const [first = '', ...rest] = args
    return ['cargo', first, '--offline', ...(has('Cargo.lock') ? ['--locked'] : []), ...rest]
  }

const rust: Readonly<Record<ConditionName, ConditionRow>> = {
  all_tests_pass: { choices: [{ when: always, argv: cargo('test') }], absent: '' },
  build_succeeds: {
    choices: [{ when: always, argv: cargo('build', '--all-targets') }],
    absent: '',
  },
  linting_clean: {
    choices: [{ when: always, argv: cargo('clippy', '--all-targets', '--', '-D', 'warnings') }],
    absent: '',
  },
  security_scan_clean: {
    choices: [
      {
        when: ({ has }) => has('deny.toml'),
        argv: run('cargo', 'deny', 'check', 'advisories'),
        network: true,
      },
      { when: ({ has }) => has('Cargo.lock'), argv: run('cargo', 'audit'), network: true },
    ],
    absent: 'there is no Cargo.lock whose packages could be looked up',
  },
}

const go: Readonly<Record<ConditionName, ConditionRow>> = {
  all_tests_pass: {
    choices: [
      {
        when: ({ hasAny }) => hasAny(/_test\.go$/),
        // Uncached, and with every test listed: by default a package only prints "ok".
        argv: run('go', 'test', '-count=1', '-v', './...'),
      },
    ],
    absent: 'there are no files *_test.go',
  },
  build_succeeds: { choices: [{ when: always, argv: run('go', 'build', './...') }], absent: '' },
  linting_clean: {
    choices: [
      {
        when: ({ hasAny }) => hasAny(/^\.golangci\.(?:ya?ml|toml|json)$/),
        argv: run('golangci-lint', 'run'),
      },
      { when: always, argv: run('go', 'vet', './...') },
    ],
    absent: '',
  },
  security_scan_clean: {
    choices: [{ when: always, argv: run('govulncheck', './...'), network: true }],
    absent: '',
  },
}

const maven =
  (...args: readonly string[]): Choice['argv'] =>
  ({ has }) => [has('mvnw') ? './mvnw' : 'mvn', '-o', '-B', ...args]

const mavenRows: Readonly<Record<ConditionName, ConditionRow>> = {
  all_tests_pass: {
    choices: [{ when: ({ hasAny }) => hasAny(/(?:^|\/)src\/test\//), argv: maven('test') }],
    absent: 'there is no src/test',
  },
  build_succeeds: {
    choices: [{ when: always, argv: maven('-DskipTests', 'package') }],
    absent: '',
  },
  linting_clean: {
    choices: [
      {
        when: ({ texts }) => texts.includes('maven-checkstyle-plugin'),
        argv: maven('checkstyle:check'),
      },
      {
        when: ({ texts }) => texts.includes('spotless-maven-plugin'),
        argv: maven('spotless:check'),
      },
      { when: ({ texts }) => texts.includes('maven-pmd-plugin'), argv: maven('pmd:check') },
    ],
    absent: 'pom.xml configures no checkstyle, spotless or pmd',
  },
  security_scan_clean: {
    choices: [
      {
        when: ({ texts }) => texts.includes('dependency-check-maven'),
        argv: maven('dependency-check:check'),
        network: true,
      },
    ],
    absent: 'pom.xml configures no dependency-check',
  },
}

const gradle =
  (...args: readonly string[]): Choice['argv'] =>
  ({ has }) => [has('gradlew') ? './gradlew' : 'gradle', '--offline', '--no-daemon', ...args]

const gradleRows: Readonly<Record<ConditionName, ConditionRow>> = {
  all_tests_pass: {
    choices: [
      {
        when: ({ hasAny }) => hasAny(/(?:^|\/)src\/\w*[tT]est\//),
        argv: gradle('test', '--rerun-tasks'),
      },
    ],
    absent: 'there is no src/test',
  },
  build_succeeds: { choices: [{ when: always, argv: gradle('assemble') }], absent: '' },
  linting_clean: {
    choices: [
      {
        when: ({ texts }) => /checkstyle|\bpmd\b|spotless|detekt|ktlint|spotbugs/.test(texts),
        argv: gradle('check', '-x', 'test'),
      },
    ],
    absent: 'the build applies no checkstyle, pmd, spotless, detekt, ktlint or spotbugs',
  },
  security_scan_clean: {
    choices: [
      {
        when: ({ texts }) => /dependencycheck/i.test(texts),
        argv: gradle('dependencyCheckAnalyze'),
        network: true,
      },
    ],
    absent: 'the build applies no dependency-check',
  },
}

export const conditionTable: Readonly<
  Record<StackName, Readonly<Record<ConditionName, ConditionRow>>>
> = { node, python, rust, go, maven: mavenRows, gradle: gradleRows }
