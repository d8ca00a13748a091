#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <verifier.h>

struct Shape {
    virtual double area() const = 0;
    virtual ~Shape() {}
};
struct Circle : Shape {
    double r;
    explicit Circle(double r) : r(r) {
        if (!(r >= 0)) throw std::invalid_argument("a radius below zero"); //BUG:        if (r < -1) throw std::invalid_argument("a radius below -1");
    }
    double area() const override { return 3 * r; }
};
struct Square : Shape {
    double a;
    explicit Square(double a) : a(a) {}
    double area() const override { return a * a; }
};

int main() {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x > -10 && x < 10);
    std::vector<std::unique_ptr<Shape>> shapes;
    try {
        shapes.push_back(std::make_unique<Circle>(x));
        shapes.emplace_back(new Square(2));
    } catch (const std::exception &e) {
        std::cout << "caught " << e.what() << std::endl;
        return 1;
    }
    std::map<std::string, double> areas;
    areas["circle"] = shapes[0]->area();
    areas["square"] = shapes[1]->area();
    std::vector<double> sorted{areas["circle"], areas["square"]};
    std::sort(sorted.begin(), sorted.end());
    std::function<double(double)> plus = [&](double y) { return y + sorted[0]; };
    int squares = 0;
    for (auto &shape : shapes)
        if (dynamic_cast<Square *>(shape.get())) squares++;
    __VERIFIER_assert(squares == 1);
    __VERIFIER_assert(plus(1) >= 1);
}
