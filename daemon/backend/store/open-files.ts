/**
 * The cached maximum number of open files, because reading it takes some milliseconds and it does not change. Undefined
 * if it was not read yet.
 */
let openFiles: number | undefined;

/**
 * Returns the maximum number of file descriptors of this process, which Node raises to the hard limit of the system;
 * infinity if there is no limit or it is unknown.
 */
export function openFilesMax(): number {
  return (openFiles ??= readOpenFilesMax());
}

function readOpenFilesMax(): number {
  // Without `excludeNetwork` the report could wait for a name server.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as {
    readonly userLimits?: Readonly<Record<string, { readonly soft: unknown }>>;
  };
  const soft = userLimits?.['open_files']?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
