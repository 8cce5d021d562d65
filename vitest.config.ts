import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

// Vitest reads its configuration from the default export.
export default defineConfig({
  test: {
    testTimeout: 60_000,
    // Most of the time is spent waiting for other processes.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    projects: [
      {
        extends: true,
        // What is tested beside its source changes nothing that others see: it need not be loaded anew.
        test: { name: 'units', include: ['src/**/*.test.ts'], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'stories',
          include: ['test/**/*.test.ts'],
          // To load them anew for every file took more time than many of the files.
          isolate: false,
          setupFiles: ['test/setup.ts'],
          // `npm run test:agents` runs those.
          exclude: [...configDefaults.exclude, 'test/real-agents/**'],
        },
      },
    ],
  },
})
