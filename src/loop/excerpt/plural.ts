/** The only place that decides between `1 file` and `2 files`; test/plurals.test.ts finds texts that do not use it. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
