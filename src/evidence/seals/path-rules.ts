/**
 * Which files judge the work, by path. Case is ignored, because a file system may ignore it. The first matching rule
 * decides, so more specific rules come first.
 */

import type { SealKind } from './sealed-change.ts'

export interface PathRule {
  readonly kind: SealKind
  /** A pattern without a slash matches names in any folder; `/x` matches only at the root. */
  readonly paths: readonly string[]
  /**
   * What a new file is: `free`; `acts`, because it affects existing files; or `acts-on-old`, which affects them unless its
   * whole folder is new.
   */
  readonly fresh: 'free' | 'acts' | 'acts-on-old'
  /** Case-sensitive: `LatestTest.java` is a test, `Latest.java` is not. */
  readonly exactCase?: true
  /** The rule applies only if this file exists next to the first folder of the pattern. */
  readonly beside?: string
  /** A new file that would be free acts if it contains this. */
  readonly actsIf?: RegExp
}

/** Extensions in which JavaScript runners look for their configuration. */
const js = '{js,cjs,mjs,ts,cts,mts,jsx,tsx}'
const data = '{js,cjs,mjs,ts,cts,mts,json,jsonc,json5,yaml,yml,toml}'

const oneOf = (text: string): string => `{${text.trim().split(/\s+/).join(',')}}`

/** Modules of Python's standard library that runners import. */
const standardPython: readonly string[] = [
  oneOf(`
  __future__ abc argparse ast asyncio bdb bisect builtins cmd code codecs collections contextlib
  contextvars copy copyreg dataclasses datetime difflib dis doctest enum fnmatch functools gc
  getpass gettext glob hashlib heapq importlib inspect io itertools json keyword linecache locale
  logging math operator
  `),
  oneOf(`
  os pathlib pdb pickle pkgutil platform posixpath pprint queue random re reprlib runpy selectors
  shlex shutil signal site socket stat string struct subprocess sys sysconfig tempfile textwrap
  threading time timeit token tokenize traceback types typing unicodedata warnings weakref xml
  zipfile zipimport
  `),
]

export const pathRules: readonly PathRule[] = [
  {
    kind: 'configuration',
    fresh: 'acts',
    paths: ['.git', '**/.git/**', '.gitattributes', '.gitmodules'],
  },
  {
    kind: 'loop',
    fresh: 'acts',
    paths: [
      'loopwright.{yaml,yml,json}',
      '/.loop/**',
      '/loops/**/*.{yaml,yml}',
      '*.loop.{yaml,yml,ts,mts,js,mjs}',
      '*.cedar',
      '*.cedarschema',
    ],
  },
  // Installed code in the tree would be found before the dependency layer.
  {
    kind: 'dependencies',
    fresh: 'acts',
    paths: [
      '**/node_modules',
      '**/node_modules/**',
      '**/{.venv,venv,site-packages}/**',
      '*.pth',
      '.pnp.{cjs,js,loader.mjs}',
      '/.yarn/{releases,plugins,cache}/**',
      '{pytest,_pytest,unittest,coverage,ruff,mypy,bandit,nose,nose2,sitecustomize,usercustomize}.py',
      '/{pytest,_pytest,unittest,coverage,ruff,mypy,bandit}/**',
      // The start folder of a runner precedes the standard library.
      ...standardPython.flatMap((names) => [`/${names}.py`, `/${names}/**`]),
    ],
  },
  { kind: 'dependencies', fresh: 'acts', paths: ['/vendor/**'], beside: 'vendor/modules.txt' },
  { kind: 'dependencies', fresh: 'acts', paths: ['/vendor/**'], beside: '.cargo/config.toml' },
  {
    kind: 'dependencies',
    fresh: 'acts-on-old',
    paths: [
      '{package-lock,npm-shrinkwrap}.json',
      'yarn.lock',
      'pnpm-lock.yaml',
      'bun.{lock,lockb}',
      'deno.lock',
      '{poetry,pdm,uv,Pipfile,pixi}.lock',
      'Pipfile',
      'requirements*.{txt,in}',
      'constraints*.txt',
      'requirements/*.{txt,in}',
      'Cargo.lock',
      'go.{mod,sum,work,work.sum}',
      'gradle.lockfile',
      'gradle/{libs.versions.toml,verification-metadata.xml}',
      'gradle/wrapper/**',
      '.mvn/**',
      'Gemfile{,.lock}',
      'composer.{json,lock}',
      'mix.{exs,lock}',
      'Package.resolved',
    ],
  },
  // Files that affect all tests, not only their own.
  {
    kind: 'test',
    fresh: 'acts',
    paths: [
      'conftest.py',
      '{jest,vitest,mocha,karma,cypress,playwright,test,tests}{.,-,_}setup.*',
      'setup{.,-,_}{test,tests,jest,vitest,mocha}.*',
      '{setupTests,setupFiles,globalSetup,global-setup,globalTeardown,global-teardown}.*',
      '**/{test,tests,__tests__,spec,e2e}/{setup,bootstrap,preload,register,hooks,globals}.*',
      '**/test/mocha.opts',
      '**/__mocks__/**',
      '**/src/*test*/resources/{junit-platform.properties,META-INF/**}',
      'spec_helper.rb',
      'rails_helper.rb',
      'test_helper.{rb,exs}',
    ],
  },
  {
    kind: 'test',
    fresh: 'free',
    exactCase: true,
    paths: [
      '*{Test,Tests,TestCase,IT,Spec}.{java,kt,kts,groovy,scala,cs,fs,php,swift}',
      '**/*.Tests/**',
      '**/src/*Test/**',
    ],
  },
  {
    kind: 'test',
    fresh: 'free',
    paths: ['*_test.go'],
    // One file of a Go package can end the tests of all of them.
    actsIf: /\bfunc\s+(?:TestMain|init)\s*\(|\bos\.Exit\b|\bsyscall\.Exit\b/,
  },
  {
    kind: 'test',
    fresh: 'free',
    paths: [
      '*.{test,spec,e2e,cy,bench,test-d}.*',
      '{test,tests}.{js,cjs,mjs,ts,cts,mts,jsx,tsx,py,rb,sh,php,lua}',
      '**/__snapshots__/**',
      '*.snap',
      '{test_*,*_test,*_tests}.py',
      '**/testdata/**',
      '**/{fixtures,golden,goldens,testcases,test-cases,test-data,test_data}/**',
      '*_{test,spec}.{rb,exs,ex,dart,lua,cc,cpp,cxx,c,php,pl}',
      '**/src/test/**',
      '**/{test,tests,__tests__,__fixtures__,e2e,cypress,playwright}/**',
      '**/spec/**/*.{rb,js,ts}',
      '**/benches/**',
      '**/{test,tests,__tests__}',
      '{test,testing}{-,_}{util,utils,helper,helpers}.*',
      '*.t',
    ],
  },
  {
    kind: 'ignore',
    fresh: 'acts',
    paths: [
      '.gitignore',
      '.ignore',
      '.{eslint,prettier,biome,stylelint,oxlint,npm,docker,ruff,semgrep}ignore',
    ],
  },
  {
    kind: 'configuration',
    fresh: 'acts',
    paths: [
      '.npmrc',
      '.yarnrc{,.yml}',
      '.pnpmfile.{cjs,mjs}',
      'pnpm-workspace.yaml',
      'bunfig.toml',
      '.{nvmrc,node-version,python-version,ruby-version,java-version,go-version,tool-versions,sdkmanrc}',
      '{.mise,mise}.toml',
      'rust-toolchain{,.toml}',
      '.env{,.*}',
      '.envrc',
      '/.cargo/**',
      '/.config/**',
      'pytest.ini',
      '.pytest.ini',
      'pytest.toml',
      '{tox,mypy,pylintrc,ruff,.ruff,.mypy,.flake8,.pylintrc,.coveragerc,.bandit,pyrightconfig}{,.ini,.toml,.cfg,.json}',
      '{clippy,.clippy,deny,audit}.toml',
      '.golangci.{yml,yaml,toml,json}',
      'phpunit{,.dist}.xml',
      '.rspec',
      '.bazelrc',
      // Findings that scanners must not report.
      '.snyk',
      '.trivyignore{,.yaml}',
      '{audit-ci,.nsprc,.auditrc,.retireignore,osv-scanner}{,.json,.jsonc,.json5,.yaml,.yml,.toml}',
    ],
  },
  {
    kind: 'configuration',
    fresh: 'acts-on-old',
    paths: [
      `{vitest,vite,jest,ava,karma,playwright,cypress,wdio,web-test-runner,nyc,c8,babel,swc,eslint,prettier,biome,xo,stylelint,oxlint,knip,tap,mocha,jasmine}.{config,workspace,projects,preset}.${data}`,
      `vitest.{workspace,projects}.${data}`,
      `.{mocharc,taprc,nycrc,c8rc,babelrc,swcrc,eslintrc,prettierrc,stylelintrc,oxlintrc,jshintrc,jscsrc,lintstagedrc,semgrep}{,.${data}}`,
      '{biome,.biome,deno,jasmine,nx,turbo,lerna,rush,lage}.{json,jsonc}',
      'rustfmt.toml',
      '.rustfmt.toml',
      '.editorconfig',
      '{checkstyle,pmd,spotbugs}*.xml',
      'detekt.{yml,yaml}',
    ],
  },
  {
    kind: 'script',
    fresh: 'acts-on-old',
    paths: [
      '{Makefile,GNUmakefile,makefile,BSDmakefile}',
      '*.mk',
      '{justfile,.justfile}',
      '{Taskfile,taskfile}{,.dist}.{yml,yaml}',
      '{noxfile,tasks,dodo,fabfile}.py',
      '{Rakefile,Earthfile,magefile.go}',
      'pom.xml',
      '{build,settings,init}.gradle{,.kts}',
      'gradle.properties',
      '{gradlew,mvnw}{,.bat,.cmd}',
      '/buildSrc/**',
      'build.sbt',
      `{gulpfile,Gruntfile,wireit}.${js}`,
    ],
  },
]
