/**
 * The environment variables that inject our programs into the test runners of a check. Values that the check or its
 * dependencies set are kept.
 */

type Env = Readonly<Record<string, string>>

/** `folder`: where the check sees our files; `given`: its environment otherwise. */
export function identityEnvironment(folder: string, given: Env): Env {
  const { NODE_OPTIONS, PYTHONPATH, PYTEST_ADDOPTS, GOFLAGS, PATH } = given
  return {
    NODE_OPTIONS: joinWords(`--require=${quoted(`${folder}/preload.cjs`)}`, NODE_OPTIONS),
    PYTHONPATH: joinPaths(`${folder}/python`, PYTHONPATH),
    PYTEST_ADDOPTS: joinWords(PYTEST_ADDOPTS, pytestOptions),
    // Otherwise cached bytecode would be used, and the source never read. Libraries keep theirs.
    PYTHONDONTWRITEBYTECODE: '1',
    // A cached result would skip files that the tests read.
    GOFLAGS: joinWords(GOFLAGS, '-count=1', `-exec=${folder}/bin/run-go-tests`),
    // Every run builds from scratch, so incremental builds would only cost time.
    CARGO_INCREMENTAL: '0',
    ...cargoRunner(`${folder}/bin/run-cargo-tests`),
    ...(PATH === undefined ? {} : { PATH: joinPaths(`${folder}/bin`, PATH) }),
  }
}

/**
 * For checks during iterations, which only count and compare: caches and incremental builds stay on, and Go and cargo run
 * as they are, because a process for each test would cost too much.
 */
export function quickIdentityEnvironment(folder: string, given: Env): Env {
  const { NODE_OPTIONS, PYTHONPATH, PYTEST_ADDOPTS } = given
  return {
    NODE_OPTIONS: joinWords(`--require=${quoted(`${folder}/preload.cjs`)}`, NODE_OPTIONS),
    PYTHONPATH: joinPaths(`${folder}/python`, PYTHONPATH),
    PYTEST_ADDOPTS: joinWords(PYTEST_ADDOPTS, '-p loopwright_identity'),
  }
}

/** A file that does not load does not prevent the others from running; pytest still fails. */
const pytestOptions = '-p loopwright_identity --continue-on-collection-errors'

/** Cargo has a variable for each target; only that of this machine has an effect. */
function cargoRunner(program: string): Env {
  const machines = ['X86_64', 'AARCH64']
  const systems = ['UNKNOWN_LINUX_GNU', 'UNKNOWN_LINUX_MUSL', 'APPLE_DARWIN']
  const targets = machines.flatMap((machine) => systems.map((system) => `${machine}_${system}`))
  return Object.fromEntries(targets.map((target) => [`CARGO_TARGET_${target}_RUNNER`, program]))
}

/**
 * Variables of another user on another machine, against code that recognizes its usual environment. Contains nothing
 * that an honest project depends on: neither time zone nor language nor CI.
 */
export const otherEnvironment: Env = {
  USER: 'dana',
  LOGNAME: 'dana',
  HOSTNAME: 'workstation',
  SHELL: '/bin/bash',
  EDITOR: 'vi',
  TERM_PROGRAM: 'vscode',
  XDG_SESSION_TYPE: 'x11',
  TMPDIR: '/tmp/session/dana',
}

const joinWords = (...all: readonly (string | undefined)[]): string =>
  all.filter((word) => word !== undefined && word !== '').join(' ')

const joinPaths = (...all: readonly (string | undefined)[]): string =>
  all.filter((path) => path !== undefined && path !== '').join(':')

const quoted = (path: string): string => (path.includes(' ') ? JSON.stringify(path) : path)
