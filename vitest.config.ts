import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { longSuites } from './proof/long-suites.ts'

const isWhole = process.env['LOOPWRIGHT_SUITES'] === 'all'
const apart = longSuites.filter(({ isShared = false }) => !isWhole && !isShared)

// Vitest reads its configuration from the default export.
export default defineConfig({
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
  },
})
