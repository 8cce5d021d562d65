import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longSuites, suitesOfSeed } from './proof/long-suites.ts'
import { slowFiles } from './test/slow-files.ts'

const isWhole = process.env['LOOPWRIGHT_SUITES'] === 'all'
/** Set by `npm test`, from the commit. */
const seed = Number(process.env['LOOPWRIGHT_FIRST_SEED'] ?? 'none')
const ofCommit = Number.isSafeInteger(seed) && seed >= 0 ? suitesOfSeed(seed) : []
const apart = longSuites.filter(
  ({ file, isShared = false }) => !isWhole && !isShared && !ofCommit.includes(file),
)

/** The proof may run beside other work. */
const patienceMs = isWhole ? 180_000 : 60_000

const root = import.meta.dirname
const sources = join(root, 'src')
/** Set where a build has just been made: `npm test` and `npm run proof`. */
const isBuilt = process.env['LOOPWRIGHT_BUILT'] === '1'

/**
 * After a build the tests load it instead of the sources: Node loads a module several times as fast as
 * the test runner transforms it, and 1300 modules are loaded by every worker. Without a build they load
 * the sources, also through the simulator, which imports `#src/…`, the build.
 */
const chooseSources = {
  name: 'choose-sources',
  enforce: 'pre' as const,
  resolveId(specifier: string, importer?: string): string | undefined {
    if (!isBuilt) {
      return specifier.startsWith('#src/') && importer?.includes('/proof/simulator/') === true
        ? join(root, specifier.slice(1))
        : undefined
    }
    if (importer === undefined || !/^\.{1,2}\//.test(specifier)) return undefined
    const path = join(dirname(importer), specifier)
    if (!path.startsWith(`${sources}/`)) return undefined
    const built = path.replace(sources, join(root, 'dist')).replace(/\.([cm]?)ts$/, '.$1js')
    return existsSync(built) ? built : undefined
  },
}

const places = new Map([...ofCommit, ...slowFiles].map((file, at) => [join(root, file), at]))
const placeOf = ({ moduleId }: TestSpecification): number => places.get(moduleId) ?? places.size

/** The slowest first, so that none of them runs alone at the end. A fresh clone knows no durations. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

// Vitest reads its configuration from the default export.
export default defineConfig({
  plugins: [chooseSources],
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run test:agents` and `npm run proof` run those.
    exclude: [...configDefaults.exclude, 'test/real-agents/**', ...apart.map(({ file }) => file)],
    // To load everything anew for each file took more time than most of the files. What a file changes
    // that others see, it puts back; test/setup.ts does that for the fixtures.
    isolate: false,
    setupFiles: ['test/setup.ts'],
    // What is built needs no transformation.
    // Only what is built: folders of sources may have these names too.
    server: { deps: { external: [/\/(?:dist|build)\/.*(?<!\.ts)$/] } },
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // Most of the time is spent waiting for other processes.
    maxWorkers: Math.ceil(2.5 * availableParallelism()),
    sequence: { sequencer: SlowestFirst },
  },
})
