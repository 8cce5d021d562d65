/**
 * The variables that bring our programs into the test runners of a check. What the check or its dependencies
 * set is kept.
 */

type Env = Readonly<Record<string, string>>

/** `folder`: where our files are for the check; `given`: what it would have without us. */
export function identityEnvironment(folder: string, given: Env): Env {
  const { NODE_OPTIONS, PYTHONPATH, PYTEST_ADDOPTS, GOFLAGS, PATH } = given
  return {
    NODE_OPTIONS: words(`--require=${quoted(`${folder}/preload.cjs`)}`, NODE_OPTIONS),
    PYTHONPATH: paths(`${folder}/python`, PYTHONPATH),
    PYTEST_ADDOPTS: words(PYTEST_ADDOPTS, pytestOptions),
    // What was compiled before would be used, and its source never read. Libraries keep theirs.
    PYTHONDONTWRITEBYTECODE: '1',
    // A result that go remembers would skip files that the tests read.
    GOFLAGS: words(GOFLAGS, '-count=1', `-exec=${folder}/bin/run-go-tests`),
    // Every run builds from nothing, so what would speed up the next build is not used.
    CARGO_INCREMENTAL: '0',
    ...cargoRunner(`${folder}/bin/run-cargo-tests`),
    ...(PATH === undefined ? {} : { PATH: paths(`${folder}/bin`, PATH) }),
  }
}

/** A file that does not load does not keep the others from running; pytest fails all the same. */
const pytestOptions = '-p loopwright_identity --continue-on-collection-errors'

/** Cargo has a variable for each target; only that of this machine is used. */
function cargoRunner(program: string): Env {
  const machines = ['X86_64', 'AARCH64']
  const systems = ['UNKNOWN_LINUX_GNU', 'UNKNOWN_LINUX_MUSL', 'APPLE_DARWIN']
  const targets = machines.flatMap((machine) => systems.map((system) => `${machine}_${system}`))
  return Object.fromEntries(targets.map((target) => [`CARGO_TARGET_${target}_RUNNER`, program]))
}

/**
 * Variables of another user on another machine, for code that recognises its usual environment. Nothing that an
 * honest project depends on: neither the time zone nor the language nor whether it is CI.
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

const words = (...all: readonly (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== '').join(' ')

const paths = (...all: readonly (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== '').join(':')

const quoted = (path: string): string => (path.includes(' ') ? JSON.stringify(path) : path)
