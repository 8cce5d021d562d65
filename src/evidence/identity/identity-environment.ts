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
    // What is compiled before would be used, and its source never read.
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPYCACHEPREFIX: '/tmp/loopwright-pycache',
    ...(GOFLAGS === undefined ? {} : { GOFLAGS }),
    ...(PATH === undefined ? {} : { PATH: paths(`${folder}/bin`, PATH) }),
  }
}

/** A file that does not load does not keep the others from running; pytest fails all the same. */
const pytestOptions = '-p loopwright_identity --continue-on-collection-errors'

const words = (...all: readonly (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== '').join(' ')

const paths = (...all: readonly (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== '').join(':')

const quoted = (path: string): string => (path.includes(' ') ? JSON.stringify(path) : path)
