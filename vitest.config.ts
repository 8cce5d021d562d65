import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longSuites } from './proof/long-suites.ts'
import { slowFiles } from './test/slow-files.ts'

const isWhole = process.env['LOOPWRIGHT_SUITES'] === 'all'
const apart = longSuites.filter(({ isShared = false }) => !isWhole && !isShared)

/** The simulator imports `#src/…`, which is the build. A test of it is about the sources, also before a build. */
const simulateSources = {
  name: 'simulate-sources',
  enforce: 'pre' as const,
  resolveId: (specifier: string, importer?: string): string | undefined =>
    specifier.startsWith('#src/') && importer?.includes('/proof/simulator/') === true
      ? join(import.meta.dirname, specifier.slice(1))
      : undefined,
}

const places = new Map(slowFiles.map((file, at) => [join(import.meta.dirname, file), at]))
const placeOf = ({ moduleId }: TestSpecification): number => places.get(moduleId) ?? places.size

/** The slowest first, so that none of them runs alone at the end. A fresh clone knows no durations. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

// Vitest reads its configuration from the default export.
export default defineConfig({
  plugins: [simulateSources],
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run test:agents` and `npm run proof` run those.
    exclude: [...configDefaults.exclude, 'test/real-agents/**', ...apart.map(({ file }) => file)],
    // To load everything anew for each file took more time than most of the files. What a file changes
    // that others see, it puts back; test/setup.ts does that for the fixtures.
    isolate: false,
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    // Most of the time is spent waiting for other processes.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowestFirst },
  },
})
