/** How the user started us, for commands to be typed next: `npx loopctl` where npm did. */

export const ownName = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment['npm_command'] === undefined ? 'loopctl' : 'npx loopctl'
