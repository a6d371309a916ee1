/** Copied beside the installed clients, from where their names resolve. */
export const load = (name) => import(name);
