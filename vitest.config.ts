import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

// Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run test:agents` runs those.
    exclude: [...configDefaults.exclude, 'test/real-agents/**'],
    testTimeout: 60_000,
    // Most of the time is spent waiting for other processes.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
  },
})
