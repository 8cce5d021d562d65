import { defineConfig } from 'vitest/config'

// `npm run test:agents`: with the real programs, which are installed for that and no part of `npm test`.
export default defineConfig({
  test: {
    include: ['test/real-agents/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 240_000,
    maxWorkers: 1,
  },
})
