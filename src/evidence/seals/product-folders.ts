/** Where products lie: what is in such a folder is the work, unless it is a test. */
export const productFolders: RegExp =
  /(?:^|\/)(?:src|lib|app|source|sources|internal|pkg|cmd|main)\//

export const isProduct = (path: string): boolean => productFolders.test(`/${path}`)
