// Declares the module that site/build/guide.ts makes from the OpenAPI document.
declare module "virtual:guide" {
  const guide: import("./guide.ts").Guide;
  export default guide;
}
